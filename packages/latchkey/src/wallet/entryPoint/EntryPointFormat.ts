import type { Address, Hex } from 'viem'
import type { GasField } from '../../accounts/actions/OperationClient.ts'
import type { Eip7702Authorization, LatchkeyAccount } from '../../accounts/types.ts'
import type {
  SettledDraft,
  UserOperationDraft,
  UserOperationField,
  UserOperationRequest,
} from '../userOperation/types.ts'

/** Format of user operations, which depends on the EntryPoint version. */
export type EntryPointFormat = {
  /** Returns the fields that deploy the account. They are empty or undefined if the account is deployed. */
  readDeployment(account: LatchkeyAccount): UserOperationDraft
  /**
   * Returns the fields that delegate the owner's address (EIP-7702). They are empty or undefined if the address is
   * already delegated.
   */
  readDelegation(authorization: Promise<Eip7702Authorization | undefined>): UserOperationDraft
  /** Returns the deployment fields of a sent operation. */
  keepDeployment(request: UserOperationRequest): UserOperationDraft
  /** Returns the deployment fields for an init code; without an init code, the fields of a deployed account. */
  toDeployment(initCode: Hex | undefined): SettledDraft
  /** Checks whether an operation returned by a service deploys its account. */
  deploys(reply: Record<string, unknown>): boolean
  paysItself(draft: SettledDraft): boolean
  /** Fees and gas limits that a gas manager determines for this version. */
  readonly gasFields: readonly GasField[]
  /** Fields of `gasFields` that are the paymaster's own gas limits. */
  readonly paymasterGasFields: readonly GasField[]
  /** Default gas limits of the paymaster, if neither the estimate nor the draft contains any. */
  readonly gasDefaults: { readonly [field in GasField]?: bigint }
  /** Name of the field with the paymaster's data. Overriding it with `0x` requests an operation without a paymaster. */
  readonly paymasterDataField: 'paymasterAndData' | 'paymasterData'
  /** Paymaster fields of an operation whose account pays for its own gas. */
  readonly noPaymaster: SettledDraft
  /** Returns the fields with the paymaster's address and data. */
  toPaymasterFields(paymaster: Address, data: Hex): SettledDraft
  /**
   * Reads the paymaster fields of a gas manager's response, without its gas limits. `action` describes the request in
   * errors.
   */
  readPaymasterFields(reply: Record<string, unknown>, action: string): SettledDraft
  /** Required fields of this version, in addition to those of every version. */
  readonly requiredFields: readonly UserOperationField[]
  /** Groups of fields. All fields of a group must be set, or none. */
  readonly fieldGroups: readonly (readonly UserOperationField[])[]
}

/** Fees and gas limits that exist in every version. */
export const commonGasFields = [
  'maxFeePerGas',
  'maxPriorityFeePerGas',
  'callGasLimit',
  'verificationGasLimit',
  'preVerificationGas',
] as const satisfies readonly GasField[]
