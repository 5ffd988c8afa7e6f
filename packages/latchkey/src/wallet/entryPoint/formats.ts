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

const paymasterGasFields = ['paymasterVerificationGasLimit', 'paymasterPostOpGasLimit'] as const

/** EntryPoint 0.7: deployment and paymaster are fields of their own, and the paymaster has gas limits. */
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
  gasDefaults: { paymasterPostOpGasLimit: 0n },
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

/** A row for each version that accounts work with. */
const formats: Readonly<Record<EntryPointVersion, EntryPointFormat>> = { '0.6.0': v06, '0.7.0': v07 }

/** The form of an account's user operations. */
export function getFormat({ entryPointVersion }: Pick<LatchkeyAccount, 'entryPointVersion'>): EntryPointFormat {
  return formats[entryPointVersion]
}
