import { type Address, concat, type Hex, slice } from 'viem'
import { getUserOperationHash } from 'viem/account-abstraction'
import type { GasField } from '../../accounts/actions/OperationClient.ts'
import type { LatchkeyAccount } from '../../accounts/types.ts'
import type { EntryPointVersion } from '../../core/chains/entryPoints.ts'
import { readAddress, readHex } from '../rpc.ts'
import type {
  CompleteUserOperation,
  SettledDraft,
  UserOperationDraft,
  UserOperationField,
  UserOperationRequest,
} from '../userOperation/types.ts'

/** User-operation format of one EntryPoint version, with everything that differs between versions. */
export type EntryPointFormat = {
  /** Returns the fields that deploy the account; empty or absent once it is deployed. */
  readDeployment(account: LatchkeyAccount): UserOperationDraft
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
  /** Fields among `managedFields` that are the paymaster's own gas limits. */
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
  /** Returns the hash that the account's owner signs (ERC-4337 § UserOperation). */
  hash(operation: CompleteUserOperation, entryPoint: { chainId: number; entryPointAddress: Address }): Hex
}

/** Fees and gas limits of every version. */
export const commonGasFields = [
  'maxFeePerGas',
  'maxPriorityFeePerGas',
  'callGasLimit',
  'verificationGasLimit',
  'preVerificationGas',
] as const satisfies readonly GasField[]

const paymasterGasFields = ['paymasterVerificationGasLimit', 'paymasterPostOpGasLimit'] as const

/** EntryPoint 0.7: deployment and paymaster have separate fields, and the paymaster has gas limits. */
export const v07: EntryPointFormat = {
  readDeployment(account) {
    const args = account.getFactoryArgs()
    return {
      factory: args.then(({ factory }) => factory),
      factoryData: args.then(({ factoryData }) => factoryData),
    }
  },
  keepDeployment: ({ factory, factoryData }) => ({ factory, factoryData }),
  toDeployment: (initCode) =>
    initCode ? { factory: slice(initCode, 0, 20), factoryData: `0x${initCode.slice(42)}` } : {},
  deploys: ({ factory }) => typeof factory === 'string',
  paysItself: ({ paymaster }) => paymaster === undefined,
  gasFields: [...commonGasFields, ...paymasterGasFields],
  paymasterGasFields,
  // Verifying paymasters recover one signature, and do no work after the operation.
  gasDefaults: { paymasterVerificationGasLimit: 100_000n, paymasterPostOpGasLimit: 0n },
  paymasterDataField: 'paymasterData',
  noPaymaster: {},
  toPaymasterFields: (paymaster, paymasterData) => ({ paymaster, paymasterData }),
  readPaymasterFields: ({ paymaster, paymasterData }, action) => ({
    paymaster: readAddress(paymaster, action),
    paymasterData: readHex(paymasterData, action),
  }),
  requiredFields: [],
  fieldGroups: [
    ['factory', 'factoryData'],
    ['paymaster', 'paymasterData', ...paymasterGasFields],
  ],
  hash: (userOperation, entryPoint) =>
    getUserOperationHash<'0.7'>({ ...entryPoint, entryPointVersion: '0.7', userOperation }),
}

/** EntryPoint 0.6: deployment and paymaster are one field each. */
export const v06: EntryPointFormat = {
  readDeployment: (account) => ({ initCode: account.getInitCode() }),
  keepDeployment: ({ initCode }) => ({ initCode }),
  toDeployment: (initCode = '0x') => ({ initCode }),
  deploys: ({ initCode }) => typeof initCode === 'string' && initCode !== '0x',
  paysItself: ({ paymasterAndData = '0x' }) => paymasterAndData === '0x',
  gasFields: commonGasFields,
  paymasterGasFields: [],
  gasDefaults: {},
  paymasterDataField: 'paymasterAndData',
  noPaymaster: { paymasterAndData: '0x' },
  toPaymasterFields: (paymaster, data) => ({ paymasterAndData: concat([paymaster, data]).toLowerCase() as Hex }),
  readPaymasterFields: ({ paymasterAndData }, action) => ({ paymasterAndData: readHex(paymasterAndData, action) }),
  requiredFields: ['initCode', 'paymasterAndData'],
  fieldGroups: [],
  hash: (userOperation, entryPoint) =>
    getUserOperationHash<'0.6'>({ ...entryPoint, entryPointVersion: '0.6', userOperation }),
}

/** Format of each supported version. */
const formats: Readonly<Record<EntryPointVersion, EntryPointFormat>> = { '0.6.0': v06, '0.7.0': v07 }

/** Returns the format of an account's user operations. */
export function getFormat({ entryPointVersion }: Pick<LatchkeyAccount, 'entryPointVersion'>): EntryPointFormat {
  return formats[entryPointVersion]
}
