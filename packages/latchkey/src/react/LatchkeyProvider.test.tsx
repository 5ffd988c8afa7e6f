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
