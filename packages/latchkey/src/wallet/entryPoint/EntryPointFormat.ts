import type { Address, Hex } from 'viem'
import type { GasField } from '../../accounts/actions/OperationClient.ts'
import type { Eip7702Authorization, LatchkeyAccount } from '../../accounts/types.ts'
import type {
  SettledDraft,
  UserOperationDraft,
  UserOperationField,
  UserOperationRequest,
} from '../userOperation/types.ts'

/** User-operation format of one EntryPoint version, with everything that differs between versions. */
export type EntryPointFormat = {
  /** Returns the fields that deploy the account; empty or absent once it is deployed. */
  readDeployment(account: LatchkeyAccount): UserOperationDraft
  /** Returns the fields that delegate the account's address (EIP-7702); empty or absent once it is delegated. */
  readDelegation(authorization: Promise<Eip7702Authorization | undefined>): UserOperationDraft
  /** Returns the deployment fields of a sent operation. */
  keepDeployment(request: UserOperationRequest): UserOperationDraft
  /** Returns the deployment fields for an init code; without an init code, the fields of a deployed account. */
  toDeployment(initCode: Hex | undefined): SettledDraft
  /** Checks whether an operation returned by a service deploys its account. */
  deploys(reply: Record<string, unknown>): boolean
  /** Checks whether the account pays for its own gas. */
  paysItself(draft: SettledDraft): boolean
  /** Fees and gas limits that a gas manager determines. */
  readonly gasFields: readonly GasField[]
  /** Fields of `gasFields` that are the paymaster's own gas limits. */
  readonly paymasterGasFields: readonly GasField[]
  /** Default gas limits of the paymaster, if neither an estimate nor the draft has one. */
  readonly gasDefaults: { readonly [field in GasField]?: bigint }
  /** Field of the paymaster's data. An override of `0x` requests an operation without a paymaster. */
  readonly paymasterDataField: 'paymasterAndData' | 'paymasterData'
  /** Paymaster fields of an operation whose account pays for its own gas. */
  readonly noPaymaster: SettledDraft
  /** Returns the fields that name a paymaster and its data. */
  toPaymasterFields(paymaster: Address, data: Hex): SettledDraft
  /**
   * Reads the paymaster fields from a gas manager's reply, without its gas limits. `action` describes the failed action
   * in errors.
   */
  readPaymasterFields(reply: Record<string, unknown>, action: string): SettledDraft
  /** Required fields in addition to those of every version. */
  readonly requiredFields: readonly UserOperationField[]
  /** Groups of fields that must all be set, or none. */
  readonly fieldGroups: readonly (readonly UserOperationField[])[]
}

/** Fees and gas limits of every version. */
export const commonGasFields = [
  'maxFeePerGas',
  'maxPriorityFeePerGas',
  'callGasLimit',
  'verificationGasLimit',
  'preVerificationGas',
] as const satisfies readonly GasField[]
