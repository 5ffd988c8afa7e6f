import type { Address, Hex } from 'viem'
import type { GasField, OperationOverrides } from '../../accounts/actions/OperationClient.ts'

// A user operation goes from draft to settled to complete to signed, and travels as a request.

export type CallInput = { target: Address; data: Hex; value?: bigint | undefined }

/** One call, several in one operation, or call data for the account as it is. */
export type UserOperationInput = CallInput | readonly CallInput[] | Hex

/** A user operation before it travels. Members of EntryPoint 0.6 and of 0.7 exclude each other. */
export type UserOperationStruct = {
  sender: Address
  nonce: bigint
  callData: Hex
  signature: Hex
  callGasLimit?: bigint
  verificationGasLimit?: bigint
  preVerificationGas?: bigint
  /** Wei a gas. */
  maxFeePerGas?: bigint
  /** Wei a gas. */
  maxPriorityFeePerGas?: bigint
  /** 0.6 */
  initCode?: Hex
  /** 0.6 */
  paymasterAndData?: Hex
  /** 0.7 */
  factory?: Address
  factoryData?: Hex
  paymaster?: Address
  paymasterData?: Hex
  paymasterVerificationGasLimit?: bigint
  paymasterPostOpGasLimit?: bigint
}

export type UserOperationField = keyof UserOperationStruct

/** A user operation some of whose values are still pending. */
export type UserOperationDraft = {
  [name in UserOperationField]?: UserOperationStruct[name] | Promise<UserOperationStruct[name] | undefined> | undefined
}

/** A draft without pending values. Some may be missing. */
export type SettledDraft = { [name in UserOperationField]?: UserOperationStruct[name] }

/** A user operation with all that its EntryPoint requires; the signature is the account's dummy one. */
export type CompleteUserOperation = UserOperationStruct & {
  [field in Exclude<GasField, `paymaster${string}`>]: bigint
}

/** A complete user operation with the owner's signature. */
export type SignedUserOperation = CompleteUserOperation

/** A user operation as it travels: quantities in minimal hex. */
export type UserOperationRequest = {
  [name in keyof UserOperationStruct]: NonNullable<UserOperationStruct[name]> extends bigint
    ? Hex
    : UserOperationStruct[name]
}

export type UserOperationOverrides = OperationOverrides

export type FeeOption = { min?: bigint | undefined; max?: bigint | undefined; multiplier?: number | undefined }

export type FeeOptions = { [field in GasField]?: FeeOption | undefined }

/** Gas limits as a bundler estimates them; those of the paymaster where there is one and the bundler says them. */
export type GasEstimate = {
  callGasLimit: bigint
  verificationGasLimit: bigint
  preVerificationGas: bigint
  paymasterVerificationGasLimit?: bigint
  paymasterPostOpGasLimit?: bigint
}
