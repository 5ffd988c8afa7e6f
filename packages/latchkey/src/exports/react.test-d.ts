import type { FunctionComponent, ReactNode } from 'react'
import { type Address, type Chain, erc20Abi, type Hex } from 'viem'
import { expectTypeOf, test } from 'vitest'
import { sessionKeyPluginActions } from './accounts.ts'
import {
  type AssetChange,
  type BaseError,
  type CodedError,
  lightAccountActions,
  type OperationRecord,
  type SendUserOperationParameters,
  type SendUserOperationResult,
  type SmartAccountClient,
} from './index.ts'
import {
  type ExportAccountComponentProps,
  type LatchkeyProvider,
  useAccount,
  useAddPasskey,
  useAuthenticate,
  useAuthMethods,
  useChain,
  useClientActions,
  useConnectedProviders,
  useExportAccount,
  useImportAccount,
  useLogout,
  useOperation,
  useOperations,
  useSendCalls,
  useSendTransaction,
  useSendUserOperation,
  useSession,
  useSigner,
  useSignMessage,
  useSignTypedData,
  useSimulation,
  useSmartAccountClient,
  useUser,
} from './react.ts'
import type { Authenticator, ConnectedProvider, Signer, User } from './signer.ts'
import type { ErrorCode } from './wire.ts'

declare const client: SmartAccountClient | undefined
declare const newOwner: Address

test('LatchkeyProvider: only config is required', () => {
  type Props = Parameters<typeof LatchkeyProvider>[0]
  expectTypeOf<Props>().toHaveProperty('config')
  expectTypeOf<Pick<Props, 'config'>>().toExtend<Props>()
  expectTypeOf<Props['children']>().toEqualTypeOf<ReactNode>()
})

test('useUser, useSigner: null when there is none', () => {
  expectTypeOf(useUser).returns.toEqualTypeOf<User | null>()
  expectTypeOf(useSigner).returns.toEqualTypeOf<Signer | null>()
})

test('useSmartAccountClient, useAccount: typed by the account type', () => {
  const light = useSmartAccountClient({ type: 'LightAccount' })
  expectTypeOf(light.client).exclude<undefined>().toHaveProperty('transferOwnership')
  expectTypeOf(light.client).exclude<undefined>().not.toHaveProperty('updateOwners')
  const modular = useSmartAccountClient({ type: 'MultiOwnerModularAccount' })
  expectTypeOf(modular.client).exclude<undefined>().toHaveProperty('updateOwners')
  expectTypeOf(modular.client).toExtend<typeof client>()
  const multi = useSmartAccountClient({ type: 'MultiOwnerLightAccount' })
  expectTypeOf(multi.client).exclude<undefined>().toHaveProperty('readOwners')
  expectTypeOf(light.error).toEqualTypeOf<CodedError | null>()
  expectTypeOf(useAccount({ type: 'LightAccount' }).address).toEqualTypeOf<Address | undefined>()
  // @ts-expect-error: not an account type
  useAccount({ type: 'SimpleAccount' })
})

test('useSendUserOperation, useSendTransaction: results and options', () => {
  const { sendUserOperationAsync, sendUserOperationResult } = useSendUserOperation({ client, waitForTxn: true })
  expectTypeOf(sendUserOperationAsync).returns.resolves.toEqualTypeOf<SendUserOperationResult>()
  expectTypeOf(sendUserOperationResult).toEqualTypeOf<SendUserOperationResult | undefined>()
  const { sendTransactionAsync } = useSendTransaction({
    client,
    onSuccess: (hash) => expectTypeOf(hash).toEqualTypeOf<Hex>(),
  })
  expectTypeOf(sendTransactionAsync).returns.resolves.toEqualTypeOf<Hex>()
  // @ts-expect-error: the client must be named, even while it is undefined
  useSendTransaction({})
  // @ts-expect-error: the key belongs to the hook
  useSendTransaction({ client, mutationKey: ['mine'] })
})

test('useSendUserOperation, useSimulation: arguments are checked against the ABI of each call', () => {
  const { sendUserOperation, sendUserOperationAsync } = useSendUserOperation({ client })
  const plain = { target: newOwner, data: '0x' } as const
  const transfer = { target: newOwner, abi: erc20Abi, functionName: 'transfer' } as const
  sendUserOperation({ uo: [plain, { ...transfer, args: [newOwner, 1n] }] }, { onSuccess: ({ hash }) => hash })
  // @ts-expect-error: text for a number, in a batch
  sendUserOperation({ uo: [plain, { ...transfer, args: [newOwner, '1'] }] })
  // @ts-expect-error: an argument is missing
  void sendUserOperationAsync({ uo: { ...transfer, args: [newOwner] } })
  useSimulation({ client, uo: { ...transfer, args: [newOwner, 1n] } })
  // @ts-expect-error: an argument is missing
  useSimulation({ client, uo: { ...transfer, args: [newOwner] } })
})

test('useSendCalls: arguments are checked against the ABI of each call', () => {
  const { sendCalls, sendCallsAsync } = useSendCalls({ client })
  const plain = { to: newOwner }
  const transfer = { to: newOwner, abi: erc20Abi, functionName: 'transfer' } as const
  sendCalls({ calls: [plain, { ...transfer, args: [newOwner, 1n] }, { to: newOwner, data: '0x', value: 1n }] })
  sendCalls({ calls: [newOwner].map((to) => ({ to, value: 1n })), capabilities: {} })
  // @ts-expect-error: text for a number
  sendCalls({ calls: [plain, { ...transfer, args: [newOwner, '1'] }] })
  // @ts-expect-error: one argument too many
  void sendCallsAsync({ calls: [{ ...transfer, args: [newOwner, 1n, 1n] }] })
})

test('useSignTypedData: the message is checked against types and primaryType', () => {
  const types = { Note: [{ name: 'text', type: 'string' }] } as const
  const { signTypedData, signTypedDataAsync } = useSignTypedData({ client })
  signTypedData({ typedData: { types, primaryType: 'Note', message: { text: 'hello' } } })
  // @ts-expect-error: a number for a string
  void signTypedDataAsync({ typedData: { types, primaryType: 'Note', message: { text: 1 } } })
})

test('mutation hooks: the whole result of TanStack Query next to their own names', () => {
  const { reset, isSuccess, status, variables } = useSendUserOperation({ client })
  expectTypeOf(reset).toEqualTypeOf<() => void>()
  expectTypeOf(isSuccess).toEqualTypeOf<boolean>()
  expectTypeOf(status).toEqualTypeOf<'idle' | 'pending' | 'success' | 'error'>()
  expectTypeOf(variables).toEqualTypeOf<SendUserOperationParameters | undefined>()
  const signed = useSignMessage({ client })
  if (signed.isSuccess) expectTypeOf(signed.data).toEqualTypeOf<Hex>()
  const [logout, authenticate, chain] = [useLogout(), useAuthenticate(), useChain()]
  const [passkey, exported] = [useAddPasskey(), useExportAccount()]
  for (const each of [logout, authenticate, chain, passkey, exported])
    expectTypeOf(each.failureCount).toEqualTypeOf<number>()
})

test('hook errors: their codes are the closed list, or those the hook can fail with', () => {
  const { error } = useAuthenticate({
    onError: ({ code }) => expectTypeOf(code).toEqualTypeOf<ErrorCode | undefined>(),
  })
  const sends = [useSendUserOperation({ client }), useSendCalls({ client }), useSignMessage({ client })]
  const others = [useSession(), useAuthMethods(), useImportAccount(), useOperations({ client }), useAddPasskey()]
  const { error: chainError } = useChain()
  const { error: logoutError } = useLogout({ onError: (error: Error) => console.error(error.message) })
  expectTypeOf(error).toEqualTypeOf<CodedError | null>()
  for (const each of [...sends, ...others]) expectTypeOf(each.error?.code).toEqualTypeOf<ErrorCode | undefined>()
  expectTypeOf(chainError?.code).toEqualTypeOf<'CHAIN_NOT_FOUND' | 'CLIENT_ONLY' | undefined>()
  expectTypeOf(logoutError?.code).toEqualTypeOf<'CHUNK_FAILED' | 'CLIENT_ONLY' | undefined>()
  // @ts-expect-error: not a code
  expectTypeOf(error?.code === 'PASSKEY_CANCELED').toBeBoolean()
  // @ts-expect-error: not a code of this hook
  expectTypeOf(logoutError?.code === 'CHAIN_NOT_FOUND').toBeBoolean()
  if (error?.code === 'PASSKEY_CANCELLED') expectTypeOf(error).toExtend<BaseError>()
})

test('useAuthenticate, useAddPasskey, useChain: parameters', () => {
  const { authenticate } = useAuthenticate({ onSuccess: (user) => expectTypeOf(user).toEqualTypeOf<User>() })
  authenticate({ type: 'email', email: 'a@example.com' })
  authenticate({ type: 'passkey', createNew: false })
  // @ts-expect-error: a new passkey needs a name
  authenticate({ type: 'passkey', createNew: true })
  useAddPasskey().addPasskey()
  expectTypeOf(useChain().setChain).parameter(0).toEqualTypeOf<{ chain: Chain }>()
})

test('useExportAccount: the component and its props', () => {
  const { ExportAccountComponent, exportAccount } = useExportAccount()
  exportAccount()
  expectTypeOf(ExportAccountComponent).toEqualTypeOf<FunctionComponent<ExportAccountComponentProps>>()
})

test('useClientActions: names, arguments and results of the actions', () => {
  const { executeAction } = useClientActions({ client, actions: lightAccountActions })
  executeAction({ functionName: 'readOwner', args: [] })
  executeAction({ functionName: 'transferOwnership', args: [{ newOwner }] })
  // @ts-expect-error: not one of the actions
  executeAction({ functionName: 'renounceOwnership', args: [] })
  // @ts-expect-error: arguments of another action
  executeAction({ functionName: 'readOwner', args: [{ newOwner }] })
  // @ts-expect-error: the new owner is missing
  executeAction({ functionName: 'transferOwnership', args: [] })

  const own = useClientActions({
    client,
    actions: (client) => ({
      length: (text: string) => text.length,
      address: async () => client.smartAccount.address,
    }),
  })
  expectTypeOf(own.data).toEqualTypeOf<number | Address | undefined>()

  const sessionKeys = useClientActions({ client, actions: sessionKeyPluginActions })
  sessionKeys.executeAction({ functionName: 'getAccountSessionKeys', args: [] })
})

test('useSession, useAuthMethods, useImportAccount: results', () => {
  expectTypeOf(useSession().secondsLeft).toEqualTypeOf<number | null>()
  useSession().extendSession()
  useSession().extendSession({ signal: new AbortController().signal })
  const { passkeys, addPasskey, changing } = useAuthMethods()
  expectTypeOf(passkeys).toEqualTypeOf<Authenticator[] | undefined>()
  expectTypeOf(changing).toEqualTypeOf<
    'addPasskey' | 'removePasskey' | 'setEmail' | 'deleteAccount' | 'endSessions' | 'signOutEverywhere' | null
  >()
  addPasskey({ name: 'My laptop' })
  expectTypeOf(useConnectedProviders().providers).toEqualTypeOf<ConnectedProvider[] | undefined>()
  useConnectedProviders().addProvider('google', { signal: new AbortController().signal })
  // @ts-expect-error: the provider must be named
  useConnectedProviders().addProvider()
  expectTypeOf(useImportAccount().addresses).toEqualTypeOf<Address[] | undefined>()
  // @ts-expect-error: a phrase or a key
  useImportAccount().openImport({ secret: 'password' })
})

test('useSimulation, useSendCalls, useOperations: calls and outcomes', () => {
  const { changes } = useSimulation({ client, uo: undefined })
  expectTypeOf(changes).toEqualTypeOf<AssetChange[] | undefined>()
  const { sendCallsAsync, callsStatus } = useSendCalls({ client })
  expectTypeOf(sendCallsAsync).returns.resolves.toEqualTypeOf<{ id: string }>()
  expectTypeOf(callsStatus).exclude<undefined>().toHaveProperty('status').toEqualTypeOf<number>()
  expectTypeOf(useOperations({ client }).operations).toEqualTypeOf<readonly OperationRecord[] | undefined>()
  expectTypeOf(useOperation({ client, id: 'a' }).operation).toEqualTypeOf<OperationRecord | undefined>()
  // @ts-expect-error: an operation has an id
  useOperation({ client })
})
