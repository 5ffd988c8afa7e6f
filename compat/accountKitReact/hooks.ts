import { alchemy, sepolia } from '@account-kit/infra'
import {
  AlchemyAccountProvider,
  createConfig,
  useAddPasskey,
  useAuthenticate,
  useExportAccount,
  useGrantPermissions,
  useLogout,
  useSendCalls,
  useSendUserOperation,
  useSignerStatus,
  useSignMessage,
  useSignTypedData,
  useSmartAccountClient,
  useUser,
  useWaitForCallsStatus,
} from '@account-kit/react'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
// biome-ignore lint/style/useNodejsImportProtocol: the package of that name, for browsers.
import { Buffer } from 'buffer'
import { createElement as h, useEffect, useState } from 'react'
import { createRoot } from 'react-dom/client'
import type { Hex } from 'viem'
import { readPageConfig } from '../published/hooksPage.ts'
import { Card, Methods } from './methods.ts'

// Follows Account Kit's documentation. Contains no URLs of Latchkey.

Object.assign(globalThis, { Buffer })
const { rootOrgId, apiKey } = readPageConfig()
const transport = alchemy({ apiKey })
const ui = { auth: { sections: [[{ type: 'email' }], [{ type: 'passkey' }]] } }
/** Whether the page signs in by identity providers. Stored, because the page that a provider returns to must do the same. */
const byProvider = 'by-provider'
if (new URLSearchParams(location.search).has(byProvider)) localStorage.setItem(byProvider, '')
const oauth = { oauthCallbackUrl: 'https://api.g.alchemy.com/signer/v1/oauth-callback', enablePopupOauth: true }
const config = createConfig(
  {
    transport,
    chain: sepolia,
    rootOrgId,
    policyId: 'default',
    ...(localStorage.getItem(byProvider) !== null && oauth),
  } as never,
  ui as never,
)
const queryClient = new QueryClient()

const recipient = '0x00000000000000000000000000000000000000aa'
/**
 * Whether the page omits the account type, so that 4.x uses its default. Stored, because a tab opened by a link must do
 * the same.
 */
const choice = 'default-account'
if (new URLSearchParams(location.search).has(choice)) localStorage.setItem(choice, '')
const isDefaultAccount = localStorage.getItem(choice) !== null

function Hooks() {
  const user = useUser()
  const { status } = useSignerStatus()
  const { authenticateAsync } = useAuthenticate()
  const { client, address } = useSmartAccountClient(isDefaultAccount ? ({} as never) : { type: 'LightAccount' })
  const { sendUserOperationAsync } = useSendUserOperation({ client, waitForTxn: true })
  const { signMessageAsync } = useSignMessage({ client })
  const { signTypedDataAsync } = useSignTypedData({ client })
  const { addPasskey } = useAddPasskey()
  const exporting = useExportAccount({ params: { iframeContainerId: 'exported' } })
  const { logout } = useLogout()
  useEffect(() => {
    window.hooks = {
      status,
      user: user as typeof window.hooks.user,
      address: client && address,
      isExported: exporting.isExported,
      exportError: exporting.error?.message,
      authenticate: (parameters) => authenticateAsync(parameters as never),
      send: async () => (await sendUserOperationAsync({ uo: { target: recipient, data: '0x' } })).hash,
      signMessage: (message) => signMessageAsync({ message }),
      signTypedData: (typedData) => signTypedDataAsync({ typedData: typedData as never }),
      addPasskey: () => new Promise((onSuccess, onError) => addPasskey(undefined, { onSuccess, onError })),
      exportAccount: () => exporting.exportAccount(),
      logout: () => new Promise((onSuccess, onError) => logout(undefined, { onSuccess, onError })),
    }
  })
  return h(
    'div',
    null,
    h(exporting.ExportAccountComponent, { isExported: exporting.isExported }),
    h(Later, { client }),
    h(Methods),
    h(Card),
  )
}

type Client = ReturnType<typeof useSmartAccountClient>

function Later({ client }: Pick<Client, 'client'>) {
  const [id, setId] = useState<Hex>()
  const { sendCallsAsync } = useSendCalls({ client })
  const { data: calls } = useWaitForCallsStatus({ client, id } as never)
  const { grantPermissionsAsync } = useGrantPermissions({ client } as never)
  useEffect(() => {
    window.laterHooks = {
      callsStatus: (calls as { statusCode: number } | undefined)?.statusCode,
      async sendCalls() {
        const { ids } = await sendCallsAsync({ calls: [{ to: recipient, data: '0x' }] } as never)
        setId(ids[0] as Hex)
        return ids[0] as Hex
      },
      async grantPermissions(publicKey, permissions) {
        const request = { key: { type: 'secp256k1', publicKey }, permissions, expirySec: 0 }
        return ((await grantPermissionsAsync(request as never)) as { context: Hex }).context
      },
    }
  })
  return null
}

const root = document.getElementById('root')
const app = h(AlchemyAccountProvider, { config, queryClient }, h(Hooks))
if (root) createRoot(root).render(h(QueryClientProvider, { client: queryClient }, app))
