import { renderToString } from 'react-dom/server'
import { describe, expect, test } from 'vitest'
import { latchkeyDev } from '../core/chains/latchkeyDev.ts'
import { latchkeyEndpoints } from '../signer/endpoints/latchkeyEndpoints.ts'
import type { SmartAccountClient } from '../wallet/client/types.ts'
import { createConfig } from '../wallet/createConfig.ts'
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
import { clientActionMutationOptions } from './query/clientAction.ts'
import { dropAndReplaceUserOperationMutationOptions } from './query/dropAndReplaceUserOperation.ts'
import { sendTransactionMutationOptions } from './query/sendTransaction.ts'
import { sendTransactionsMutationOptions } from './query/sendTransactions.ts'
import { sendUserOperationMutationOptions } from './query/sendUserOperation.ts'
import { signMessageMutationOptions } from './query/signMessage.ts'
import { signTypedDataMutationOptions } from './query/signTypedData.ts'
import { waitForUserOperationTransactionMutationOptions } from './query/waitForUserOperationTransaction.ts'

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

function Probe({ use, tell }: { use: () => unknown; tell?: (value: unknown) => void }) {
  const value = use()
  tell?.(value)
  return null
}

/** What a hook gives while the server renders. */
function onServer(use: () => unknown): unknown {
  const endpoints = latchkeyEndpoints('http://localhost:4101')
  const config = createConfig({ chain: latchkeyDev, apiKey: 'key', endpoints, ssr: true })
  let seen: unknown
  renderToString(
    <LatchkeyProvider config={config}>
      <Probe
        use={use}
        tell={(value) => {
          seen = value
        }}
      />
    </LatchkeyProvider>,
  )
  return seen
}

describe.each(Object.entries(hooks))('%s', (name, use) => {
  test('error: outside the provider', () => {
    expect(() => renderToString(<Probe use={use} />)).toThrow(`${name} must be used within LatchkeyProvider`)
  })

  test('behavior: renders on a server', () => {
    expect(() => onServer(use)).not.toThrow()
    expect(name).toBe(use.name)
  })
})

test('behavior: on a server nobody is signed in and nothing is loaded', () => {
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
      .map((name) => [name, Object.keys(onServer(hooks[name]) as object)]),
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
    useAuthModal: ['isOpen', 'openAuthModal', 'closeAuthModal'],
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

test('error: without a client, in the words of the hook', async () => {
  const without = {
    useClientActions: () => clientActionMutationOptions(undefined, addressActions).mutationFn,
    useSendUserOperation: () => sendUserOperationMutationOptions(undefined, false).mutationFn,
    useDropAndReplaceUserOperation: () => dropAndReplaceUserOperationMutationOptions(undefined).mutationFn,
    useSendTransaction: () => sendTransactionMutationOptions(undefined).mutationFn,
    useSendTransactions: () => sendTransactionsMutationOptions(undefined).mutationFn,
    useSignMessage: () => signMessageMutationOptions(undefined).mutationFn,
    useSignTypedData: () => signTypedDataMutationOptions(undefined).mutationFn,
    useWaitForUserOperationTransaction: () => waitForUserOperationTransactionMutationOptions(undefined).mutationFn,
  }
  for (const [name, make] of Object.entries(without)) {
    const act = make() as (variables: unknown) => Promise<unknown>
    await expect(act({})).rejects.toThrow(`client must be defined in ${name}`)
  }
})
