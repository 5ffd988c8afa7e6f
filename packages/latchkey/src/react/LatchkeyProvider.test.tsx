import { memoryPlatform } from '@latchkey/testkit/wallet/memoryPlatform'
import { renderToString } from 'react-dom/server'
import { describe, expect, test } from 'vitest'
import { latchkeyDev } from '../core/chains/latchkeyDev.ts'
import { latchkeyEndpoints } from '../signer/endpoints.ts'
import type { SmartAccountClient } from '../wallet/client/types.ts'
import { createConfig } from '../wallet/createConfig.ts'
import type { Platform } from '../web/platform.ts'
import { useAccount } from './hooks/useAccount.ts'
import { useAddPasskey } from './hooks/useAddPasskey.ts'
import { useAuthenticate } from './hooks/useAuthenticate.ts'
import { useAuthModal } from './hooks/useAuthModal.ts'
import { useBundlerClient } from './hooks/useBundlerClient.ts'
import { useChain } from './hooks/useChain.ts'
import { useClientActions } from './hooks/useClientActions.ts'
import { useDropAndReplaceUserOperation } from './hooks/useDropAndReplaceUserOperation.ts'
import { useExportAccount } from './hooks/useExportAccount.ts'
import { useLogout } from './hooks/useLogout.ts'
import { useSendTransaction } from './hooks/useSendTransaction.ts'
import { useSendTransactions } from './hooks/useSendTransactions.ts'
import { useSendUserOperation } from './hooks/useSendUserOperation.ts'
import { useSigner } from './hooks/useSigner.ts'
import { useSignerStatus } from './hooks/useSignerStatus.ts'
import { useSignMessage } from './hooks/useSignMessage.ts'
import { useSignTypedData } from './hooks/useSignTypedData.ts'
import { useSmartAccountClient } from './hooks/useSmartAccountClient.ts'
import { useUser } from './hooks/useUser.ts'
import { useWaitForUserOperationTransaction } from './hooks/useWaitForUserOperationTransaction.ts'
import { LatchkeyProvider } from './LatchkeyProvider.ts'

const addressActions = ({ getAddress }: SmartAccountClient) => ({ getAddress })

const hooks = {
  useAccount: () => useAccount({ type: 'LightAccount' }),
  useAuthenticate: () => useAuthenticate(),
  useAuthModal: () => useAuthModal(),
  useBundlerClient: () => useBundlerClient(),
  useChain: () => useChain(),
  useLogout: () => useLogout(),
  useSendUserOperation: () => useSendUserOperation({ client: undefined }),
  useSigner: () => useSigner(),
  useSignerStatus: () => useSignerStatus(),
  useSmartAccountClient: () => useSmartAccountClient({ type: 'LightAccount' }),
  useUser: () => useUser(),
  useAddPasskey: () => useAddPasskey(),
  useClientActions: () => useClientActions({ client: undefined, actions: addressActions }),
  useExportAccount: () => useExportAccount(),
  useDropAndReplaceUserOperation: () => useDropAndReplaceUserOperation({ client: undefined }),
  useSendTransaction: () => useSendTransaction({ client: undefined }),
  useSendTransactions: () => useSendTransactions({ client: undefined }),
  useSignMessage: () => useSignMessage({ client: undefined }),
  useSignTypedData: () => useSignTypedData({ client: undefined }),
  useWaitForUserOperationTransaction: () => useWaitForUserOperationTransaction({ client: undefined }),
}

function Probe<value>({ use, onValue }: { use: () => value; onValue?: (value: value) => void }) {
  const value = use()
  onValue?.(value)
  return null
}

/** What a hook returns while the server renders; with a `platform`, in a page before the provider has mounted. */
function onServer<value>(use: () => value, platform?: Platform): value {
  const endpoints = latchkeyEndpoints('http://localhost:4101')
  const config = createConfig({ chain: latchkeyDev, apiKey: 'key', endpoints, ssr: true, platform })
  const values: value[] = []
  renderToString(
    <LatchkeyProvider config={config}>
      <Probe use={use} onValue={(value) => values.push(value)} />
    </LatchkeyProvider>,
  )
  const [first] = values
  if (first === undefined) throw new TypeError('The hook returned nothing.')
  return first
}

describe.each(Object.entries(hooks))('%s', (name, use) => {
  test('error: outside the provider', () => {
    expect(() => renderToString(<Probe<unknown> use={use} />)).toThrow(`${name} must be used within LatchkeyProvider`)
  })

  test('behavior: renders on a server', () => {
    expect(() => onServer<unknown>(use)).not.toThrow()
    expect(name).toBe(use.name)
  })
})

test('error: a provider without a config', () => {
  // @ts-expect-error: plain JavaScript may leave it out
  const render = () => renderToString(<LatchkeyProvider />)
  expect(render).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }))
})

test('behavior: on a server no user is signed in and nothing is loaded', () => {
  expect(onServer(hooks.useSigner)).toBe(null)
  expect(onServer(hooks.useUser)).toBe(null)
  expect(onServer(hooks.useSignerStatus)).toMatchObject({ status: 'INITIALIZING', isInitializing: true })
  expect(onServer(hooks.useAccount)).toEqual({
    account: undefined,
    address: undefined,
    isLoadingAccount: true,
    error: null,
  })
  expect(onServer(hooks.useSmartAccountClient)).toEqual({
    client: undefined,
    address: undefined,
    isLoadingClient: true,
    error: null,
  })
})

test('behavior: the fields of each hook are the documented ones', () => {
  const fields = Object.fromEntries(
    (Object.keys(hooks) as (keyof typeof hooks)[])
      .filter((name) => !['useBundlerClient', 'useSigner', 'useUser'].includes(name))
      .map((name) => [name, Object.keys(onServer<object | null>(hooks[name]) ?? {})]),
  )
  expect(fields).toEqual({
    useAccount: ['account', 'address', 'isLoadingAccount', 'error'],
    useAddPasskey: ['addPasskey', 'isAddingPasskey', 'error'],
    useClientActions: ['executeAction', 'executeActionAsync', 'data', 'isExecutingAction', 'error'],
    useExportAccount: ['exportAccount', 'isExported', 'isExporting', 'error', 'ExportAccountComponent'],
    useDropAndReplaceUserOperation: [
      'dropAndReplaceUserOperation',
      'dropAndReplaceUserOperationResult',
      'isDroppingAndReplacingUserOperation',
      'error',
    ],
    useSendTransaction: [
      'sendTransaction',
      'sendTransactionAsync',
      'sendTransactionResult',
      'isSendingTransaction',
      'error',
    ],
    useSendTransactions: [
      'sendTransactions',
      'sendTransactionsAsync',
      'sendTransactionsResult',
      'isSendingTransactions',
      'error',
    ],
    useSignMessage: ['signMessage', 'signMessageAsync', 'signedMessage', 'isSigningMessage', 'error'],
    useSignTypedData: ['signTypedData', 'signTypedDataAsync', 'signedTypedData', 'isSigningTypedData', 'error'],
    useSignerStatus: ['status', 'isInitializing', 'isAuthenticating', 'isConnected', 'isDisconnected'],
    useSmartAccountClient: ['client', 'address', 'isLoadingClient', 'error'],
    useWaitForUserOperationTransaction: [
      'waitForUserOperationTransaction',
      'waitForUserOperationTransactionResult',
      'isWaitingForUserOperationTransaction',
      'error',
    ],
    useAuthenticate: ['authenticate', 'authenticateAsync', 'isPending', 'error'],
    useAuthModal: ['isOpen', 'openAuthModal', 'closeAuthModal', 'triggerProps'],
    useChain: ['chain', 'setChain', 'isSettingChain'],
    useLogout: ['logout', 'isLoggingOut', 'error'],
    useSendUserOperation: [
      'sendUserOperation',
      'sendUserOperationAsync',
      'sendUserOperationResult',
      'isSendingUserOperation',
      'error',
    ],
  })
})

const hash = `0x${'11'.repeat(32)}` as const
const uoToDrop = { sender: hash, nonce: '0x0', callData: '0x', signature: '0x' } as const
const typedData = { types: { Note: [] }, primaryType: 'Note', message: {} }
type Options = { client: undefined; onError: (error: Error) => void }
type Place = Platform | undefined

const clientCalls = {
  useClientActions: (options: Options, place: Place) =>
    onServer(() => useClientActions({ ...options, actions: addressActions }), place).executeAction({
      functionName: 'getAddress',
      args: [],
    }),
  useSendUserOperation: (options: Options, place: Place) =>
    onServer(() => useSendUserOperation(options), place).sendUserOperation({ uo: '0x' }),
  useDropAndReplaceUserOperation: (options: Options, place: Place) =>
    onServer(() => useDropAndReplaceUserOperation(options), place).dropAndReplaceUserOperation({ uoToDrop }),
  useSendTransaction: (options: Options, place: Place) =>
    onServer(() => useSendTransaction(options), place).sendTransaction({}),
  useSendTransactions: (options: Options, place: Place) =>
    onServer(() => useSendTransactions(options), place).sendTransactions({ requests: [] }),
  useSignMessage: (options: Options, place: Place) =>
    onServer(() => useSignMessage(options), place).signMessage({ message: '' }),
  useSignTypedData: (options: Options, place: Place) =>
    onServer(() => useSignTypedData(options), place).signTypedData({ typedData }),
  useWaitForUserOperationTransaction: (options: Options, place: Place) =>
    onServer(() => useWaitForUserOperationTransaction(options), place).waitForUserOperationTransaction({ hash }),
}

type OnError = Pick<Options, 'onError'>
const signerCalls = {
  useAddPasskey: (options: OnError, place: Place) => onServer(() => useAddPasskey(options), place).addPasskey(),
  useAuthenticate: (options: OnError, place: Place) =>
    onServer(() => useAuthenticate(options), place).authenticate({ type: 'email', email: 'a@example.com' }),
  useExportAccount: (options: OnError, place: Place) =>
    onServer(() => useExportAccount(options), place).exportAccount(),
}

test.each(Object.entries(clientCalls))('error: %s without a client', async (name, call) => {
  const fail = (place: Place) => new Promise((onError) => call({ client: undefined, onError }, place))
  expect(await fail(memoryPlatform())).toMatchObject({
    code: 'CLIENT_MISSING',
    shortMessage: `client must be defined in ${name}`,
  })
  expect(await fail(undefined)).toMatchObject({
    code: 'CLIENT_ONLY',
    shortMessage: 'account is only available on the client',
  })
})

test.each(Object.entries(signerCalls))('error: %s without a signer', async (_, call) => {
  const fail = (place: Place) => new Promise((onError) => call({ onError }, place))
  expect(await fail(memoryPlatform())).toMatchObject({
    code: 'SIGNER_NOT_CONNECTED',
    shortMessage: 'Signer not connected',
  })
  expect(await fail(undefined)).toMatchObject({
    code: 'CLIENT_ONLY',
    shortMessage: 'signer is only available on the client',
  })
})

test('error: signing out and changing the chain on a server', async () => {
  const logOut = new Promise((onError) => onServer(() => useLogout({ onError })).logout())
  expect(await logOut).toMatchObject({ code: 'CLIENT_ONLY', shortMessage: 'signer is only available on the client' })
  const change = new Promise((onError) => onServer(() => useChain({ onError })).setChain({ chain: latchkeyDev }))
  expect(await change).toMatchObject({ code: 'CLIENT_ONLY', shortMessage: 'setChain is only available on the client' })
})
