import type { GasField } from '../../accounts/actions/OperationClient.ts'

/** Quantities a gas manager may set; the last two belong to EntryPoint 0.7. */
export const gasFields: readonly GasField[] = [
  'maxFeePerGas',
  'maxPriorityFeePerGas',
  'callGasLimit',
  'verificationGasLimit',
  'preVerificationGas',
  'paymasterVerificationGasLimit',
  'paymasterPostOpGasLimit',
]
