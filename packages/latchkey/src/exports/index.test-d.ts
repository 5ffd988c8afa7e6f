import { type Abi, type Address, type Chain, erc20Abi, type Hex } from 'viem'
import { sepolia } from 'viem/chains'
import { expectTypeOf, test } from 'vitest'
import type { LatchkeyAccount, toLightAccount, toModularAccount } from './accounts.ts'
import {
  type ActionContext,
  type AnyUserOperationInput,
  type CallInput,
  createAccount,
  type createConfig,
  createSmartAccountClient,
  type FeeOptions,
  getAccount,
  getSmartAccountClient,
  type LatchkeyConfig,
  type Middleware,
  type SmartAccountClient,
  sendUserOperation,
  type UserOperationDraft,
  type UserOperationInput,
  type UserOperationRequest,
  type UserOperationStruct,
  watchAccount,
  watchUser,
} from './index.ts'
import type { User } from './signer.ts'

declare const config: LatchkeyConfig
declare const chain: Chain
declare const account: toLightAccount.ReturnType
declare const client: SmartAccountClient
declare const context: ActionContext
const target = '0x000000000000000000000000000000000000dEaD'

test('createConfig: one connection inline, or several with a connection of the signer', () => {
  type Parameters = createConfig.Parameters
  expectTypeOf({ chain, apiKey: 'key' }).toExtend<Parameters>()
  expectTypeOf({ chain, rpcUrl: 'http://localhost', jwt: 'token' }).toExtend<Parameters>()
  const connections = [{ chain, apiKey: 'key' }]
  expectTypeOf({ chain, connections, signerConnection: { apiKey: 'key' } }).toExtend<Parameters>()
  expectTypeOf({ chain, connections }).not.toExtend<Parameters>()
})

test('createConfig: a key in the wrong place is refused with the place where it belongs', () => {
  type Place<key extends string, parameters> = parameters extends { [name in key]?: infer place } ? place : never
  type Inline = createConfig.InlineConnection
  type Several = createConfig.ConnectionPerChain
  type Entry = createConfig.ConnectionEntry
  expectTypeOf<Place<'rpcUrl', Several>>().toEqualTypeOf<
    'rpcUrl belongs in an entry of connections, or in signerConnection' | undefined
  >()
  expectTypeOf<Place<'endpoints', Entry>>().toEqualTypeOf<
    'endpoints belongs next to connections, not in an entry' | undefined
  >()
  expectTypeOf<Place<'expirationTimeMs', Inline>>().toEqualTypeOf<
    'expirationTimeMs belongs in sessionConfig' | undefined
  >()
  const entry = { chain, apiKey: 'key' }
  const several = { chain, connections: [entry], signerConnection: { apiKey: 'key' } }
  expectTypeOf({ ...several, rpcUrl: 'http://localhost' }).not.toExtend<createConfig.Parameters>()
  expectTypeOf({ ...several, connections: [{ ...entry, rpId: 'localhost' }] }).not.toExtend<createConfig.Parameters>()
  expectTypeOf({ ...entry, policyId: 'default' }).not.toExtend<createConfig.Parameters>()
  expectTypeOf({ ...entry, transport: 'http://localhost' }).not.toExtend<createConfig.Parameters>()
})

test('createAccount, getAccount, watchAccount: typed by the account type', () => {
  expectTypeOf(createAccount({ type: 'LightAccount' }, config)).resolves.toEqualTypeOf<toLightAccount.ReturnType>()
  const modular = createAccount({ type: 'MultiOwnerModularAccount' }, config)
  expectTypeOf(modular).resolves.toEqualTypeOf<toModularAccount.ReturnType>()
  const state = getAccount({ type: 'LightAccount' }, config)
  if (state.status === 'READY') expectTypeOf(state.account).toEqualTypeOf<toLightAccount.ReturnType>()
  if (state.status === 'RECONNECTING') expectTypeOf(state.account).toEqualTypeOf<{ address: Address }>()
  if (state.status === 'ERROR') expectTypeOf(state.error).toEqualTypeOf<Error>()
  expectTypeOf(watchAccount('LightAccount', config)).returns.toEqualTypeOf<() => void>()
  expectTypeOf(watchUser(config)).parameter(0).toEqualTypeOf<(user: User | undefined) => void>()
  // @ts-expect-error: not an account type
  getAccount({ type: 'SimpleAccount' }, config)
})

test('getSmartAccountClient: the actions of the account type', () => {
  const light = getSmartAccountClient({ type: 'LightAccount' }, config)
  expectTypeOf(light.client).exclude<undefined>().toHaveProperty('transferOwnership')
  expectTypeOf(light.client).exclude<undefined>().not.toHaveProperty('updateOwners')
  const modular = getSmartAccountClient({ type: 'MultiOwnerModularAccount' }, config)
  expectTypeOf(modular.client).exclude<undefined>().toHaveProperty('updateOwners')
  const multi = getSmartAccountClient({ type: 'MultiOwnerLightAccount' }, config)
  expectTypeOf(multi.client).exclude<undefined>().toHaveProperty('readOwners')
  expectTypeOf(multi.client).exclude<undefined>().not.toHaveProperty('transferOwnership')
})

test('createSmartAccountClient: keeps the type of the account', () => {
  const made = createSmartAccountClient({ account })
  expectTypeOf(made.smartAccount).toEqualTypeOf<toLightAccount.ReturnType>()
  expectTypeOf(made).toExtend<SmartAccountClient>()
  expectTypeOf(client.smartAccount).toEqualTypeOf<LatchkeyAccount>()
  // @ts-expect-error: an account is required
  createSmartAccountClient({ chain })
})

test('createSmartAccountClient: keeps the type of the chain', () => {
  const made = createSmartAccountClient({ account, chain: sepolia })
  expectTypeOf(made.chain.id).toEqualTypeOf<11155111>()
  expectTypeOf(made).toExtend<SmartAccountClient>()
  expectTypeOf(createSmartAccountClient({ account }).chain).toEqualTypeOf<Chain>()
})

test('signTypedData: the message is checked against types and primaryType', () => {
  const types = { Note: [{ name: 'text', type: 'string' }] } as const
  client.signTypedData({ typedData: { types, primaryType: 'Note', message: { text: 'hello' } } })
  // @ts-expect-error: a number for a string
  client.signTypedData({ typedData: { types, primaryType: 'Note', message: { text: 1 } } })
  // @ts-expect-error: not one of the types
  client.signTypedDataWith6492({ typedData: { types, primaryType: 'Nota', message: { text: 'hello' } } })
})

test('sendUserOperation: one call, several, or call data; hash and request come back', () => {
  type Parameters = Parameters0<SmartAccountClient['sendUserOperation']>
  expectTypeOf({ uo: { target, data: '0x' } } as const).toExtend<Parameters>()
  expectTypeOf({ uo: [{ target, data: '0x', value: 1n }] } as const).toExtend<Parameters>()
  expectTypeOf({ uo: '0x12345678' } as const).toExtend<Parameters>()
  expectTypeOf({ uo: { target, data: '0x', value: 1 } } as const).not.toExtend<Parameters>()
  expectTypeOf(client.sendUserOperation).returns.resolves.toHaveProperty('hash').toEqualTypeOf<Hex>()
  expectTypeOf(client.sendTransaction).returns.resolves.toEqualTypeOf<Hex>()
  expectTypeOf(client.buildUserOperation).returns.resolves.toEqualTypeOf<UserOperationStruct>()
})

test('sendUserOperation: arguments are checked against the ABI, of one call and of each in a batch', () => {
  const plain = { target, data: '0x' } as const
  const token = { target, abi: erc20Abi } as const
  const transfer = { ...token, functionName: 'transfer' } as const
  const send = client.sendUserOperation
  send({ uo: { ...transfer, args: [target, 1n], value: 2n } })
  send({ uo: { ...token, functionName: 'decimals' } })
  send({ uo: [plain, { ...transfer, args: [target, 1n] }] })
  // @ts-expect-error: not a function of the ABI
  send({ uo: { ...token, functionName: 'mint', args: [target, 1n] } })
  // @ts-expect-error: text for a number
  send({ uo: { ...transfer, args: [target, '1'] } })
  // @ts-expect-error: an argument is missing
  send({ uo: { ...transfer, args: [target] } })
  // @ts-expect-error: all arguments are missing
  send({ uo: transfer })
  // @ts-expect-error: the target is missing
  send({ uo: { abi: erc20Abi, functionName: 'transfer', args: [target, 1n] } })
  // @ts-expect-error: not a function of the ABI, in a batch
  send({ uo: [plain, { ...token, functionName: 'mint', args: [] }] })
  // @ts-expect-error: text for a number, in a batch
  send({ uo: [plain, { ...transfer, args: [target, '1'] }] })
  // @ts-expect-error: one argument too many, in a batch
  send({ uo: [plain, { ...transfer, args: [target, 1n, 1n] }] })
  // @ts-expect-error: data and a function
  send({ uo: { ...token, data: '0x', functionName: 'decimals' } })
  // @ts-expect-error: not a member of a call
  send({ uo: { target, data: '0x', gas: 1n } })
})

test('sendUserOperation: calls from elsewhere, with known or unknown types', () => {
  const calls: CallInput[] = [{ target, data: '0x' }]
  client.sendUserOperation({ uo: calls })
  client.sendUserOperation({ uo: calls.map(({ target }) => ({ target, data: '0x' }) as const) })
  client.sendUserOperation({ uo: calls.map(() => ({ target, abi: erc20Abi, functionName: 'decimals' })) })
  const abi: Abi = erc20Abi
  client.sendUserOperation({ uo: { target, abi, functionName: 'anything', args: [1] } })
  const send = (uo: UserOperationInput | AnyUserOperationInput) => client.sendUserOperation({ uo })
  expectTypeOf(send).returns.resolves.toHaveProperty('hash').toEqualTypeOf<Hex>()
})

test('operations that are not sent take the same calls', () => {
  const transfer = { target, abi: erc20Abi, functionName: 'transfer' } as const
  for (const each of [client.buildUserOperation, client.simulateUserOperation, client.estimateUserOperationGas]) {
    each({ uo: { ...transfer, args: [target, 1n] } })
    // @ts-expect-error: an argument is missing
    each({ uo: { ...transfer, args: [target] } })
  }
  client.checkGasSponsorshipEligibility({ uo: [{ ...transfer, args: [target, 1n] }] })
  // @ts-expect-error: text for a number
  client.checkGasSponsorshipEligibility({ uo: [{ ...transfer, args: [target, '1'] }] })
  sendUserOperation(context, { uo: { ...transfer, args: [target, 1n] } })
  // @ts-expect-error: an argument is missing
  sendUserOperation(context, { uo: { ...transfer, args: [target] } })
})

test('overrides and fee options: values, factors and bounds', () => {
  type Overrides = NonNullable<Parameters0<SmartAccountClient['sendUserOperation']>['overrides']>
  expectTypeOf({ callGasLimit: 1n, maxFeePerGas: { multiplier: 1.5 }, nonceKey: 1n }).toExtend<Overrides>()
  expectTypeOf({ paymasterAndData: '0x' } as const).toExtend<Overrides>()
  expectTypeOf({ paymasterAndData: '0x1234' } as const).not.toExtend<Overrides>()
  expectTypeOf({ maxFeePerGas: { min: 1n, max: 2n, multiplier: 1.5 } }).toExtend<FeeOptions>()
  expectTypeOf({ maxFeePerGas: { min: 1 } }).not.toExtend<FeeOptions>()
})

test('Middleware: a draft in, a draft out, and values that are still pending', () => {
  expectTypeOf<Middleware>().parameter(0).toEqualTypeOf<UserOperationDraft>()
  expectTypeOf<Middleware>().returns.resolves.toEqualTypeOf<UserOperationDraft>()
  expectTypeOf<{ nonce: Promise<bigint>; callGasLimit: bigint }>().toExtend<UserOperationDraft>()
  expectTypeOf<UserOperationStruct>().toExtend<UserOperationDraft>()
  expectTypeOf<UserOperationRequest['nonce']>().toEqualTypeOf<Hex>()
  expectTypeOf<UserOperationRequest['callGasLimit']>().toEqualTypeOf<Hex | undefined>()
})

type Parameters0<action extends (parameters: never) => unknown> = Parameters<action>[0]
