import { renderToString } from 'react-dom/server'
import { describe, expect, test } from 'vitest'
import { latchkeyDev } from '../core/chains/latchkeyDev.ts'
import {
  LatchkeyProvider,
  useAccount,
  useAddPasskey,
  useAuthenticate,
  useAuthModal,
  useBundlerClient,
  useChain,
  useClientActions,
  useConfirmation,
  useDeletion,
  useDropAndReplaceUserOperation,
  useExportAccount,
  useLogout,
  useSendTransaction,
  useSendTransactions,
  useSendUserOperation,
  useSession,
  useSigner,
  useSignerStatus,
  useSignMessage,
  useSignTypedData,
  useSmartAccountClient,
  useUser,
  useWaitForUserOperationTransaction,
} from '../exports/react.ts'
import { latchkeyEndpoints } from '../signer/endpoints.ts'
import type { SmartAccountClient } from '../wallet/client/types.ts'
import { createConfig } from '../wallet/createConfig.ts'
import type { Platform } from '../web/platform.ts'

const addressActions = ({ getAddress }: SmartAccountClient) => ({ getAddress })

const hooks = {
  ...{ useAddPasskey, useAuthenticate, useAuthModal, useBundlerClient, useChain, useExportAccount, useLogout },
  ...{ useConfirmation, useDeletion, useSession, useSigner, useSignerStatus, useUser },
  useAccount: () => useAccount({ type: 'LightAccount' }),
  useSmartAccountClient: () => useSmartAccountClient({ type: 'LightAccount' }),
  useClientActions: () => useClientActions({ client: undefined, actions: addressActions }),
  useDropAndReplaceUserOperation: () => useDropAndReplaceUserOperation({ client: undefined }),
  useSendTransaction: () => useSendTransaction({ client: undefined }),
  useSendTransactions: () => useSendTransactions({ client: undefined }),
  useSendUserOperation: () => useSendUserOperation({ client: undefined }),
  useSignMessage: () => useSignMessage({ client: undefined }),
  useSignTypedData: () => useSignTypedData({ client: undefined }),
  useWaitForUserOperationTransaction: () => useWaitForUserOperationTransaction({ client: undefined }),
}

function Probe<value>({ use, onValue }: { use: () => value; onValue?: (value: value) => void }) {
  const value = use()
  onValue?.(value)
  return null
}

/** Renders a hook as on the server. With a `platform`, renders as in a page before the provider mounts. */
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
  test('throws outside the provider', () => {
    expect(() => renderToString(<Probe<unknown> use={use} />)).toThrow(`${name} must be used within LatchkeyProvider`)
  })

  test('renders on a server', () => {
    expect(() => onServer<unknown>(use)).not.toThrow()
  })
})

test('refuses a provider without a config', () => {
  // @ts-expect-error: plain JavaScript may leave it out
  const render = () => renderToString(<LatchkeyProvider />)
  expect(render).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }))
})

test('renders no user and loading states on a server', () => {
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
