import type { Address, Hex } from 'viem'
import type { GasField } from '../../accounts/actions/OperationClient.ts'
import type { LatchkeyAccount } from '../../accounts/types.ts'
import type {
  CompleteUserOperation,
  SettledDraft,
  UserOperationDraft,
  UserOperationField,
  UserOperationRequest,
} from '../userOperation/types.ts'

/** The user operation of one version of the EntryPoint: all that differs from the other versions. */
export type EntryPointFormat = {
  /** Fields that deploy the account; empty or absent once it is deployed. */
  readDeployment(account: LatchkeyAccount): UserOperationDraft
  /** The same fields, as an operation that was sent has them. */
  keepDeployment(request: UserOperationRequest): UserOperationDraft
  /** The same fields for an init code; without one, those of an account that is deployed. */
  toDeployment(initCode: Hex | undefined): SettledDraft
  /** Whether an operation, as a service returned it, deploys its account. */
  deploys(reply: Record<string, unknown>): boolean
  /** Whether the account pays for its own gas. */
  paysItself(draft: SettledDraft): boolean
  /** Fees and gas limits that a gas manager settles. */
  readonly gasFields: readonly GasField[]
  /** Of these the paymaster's own gas limits. */
  readonly paymasterGasFields: readonly GasField[]
  /** Gas limits of the paymaster where neither an estimate nor the draft has one. */
  readonly gasDefaults: { readonly [field in GasField]?: bigint }
  /** Field of the paymaster's data. `0x` as its override asks for an operation without a paymaster. */
  readonly paymasterDataField: 'paymasterAndData' | 'paymasterData'
  /** Paymaster fields of an operation whose account pays for its own gas. */
  readonly noPaymaster: SettledDraft
  /** Fields that name a paymaster and its data. */
  toPaymasterFields(paymaster: Address, data: Hex): SettledDraft
  /** The same fields from a gas manager's reply, its gas limits apart. `action` says what fails when they are invalid. */
  readPaymasterFields(reply: Record<string, unknown>, action: string): SettledDraft
  /** What an operation must have beside the fields that every version requires. */
  readonly requiredFields: readonly UserOperationField[]
  /** Fields that come together: all of a group or none. */
  readonly fieldGroups: readonly (readonly UserOperationField[])[]
  /** Hash the account's owner signs (ERC-4337 § UserOperation). */
  hash(operation: CompleteUserOperation, entryPoint: { chainId: number; entryPointAddress: Address }): Hex
}

/** Fees and gas limits that every version has. */
export const commonGasFields = [
  'maxFeePerGas',
  'maxPriorityFeePerGas',
  'callGasLimit',
  'verificationGasLimit',
  'preVerificationGas',
] as const satisfies readonly GasField[]
