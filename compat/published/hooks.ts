import { createConfig } from '@alchemy/aa-alchemy/config'
import {
  AlchemyAccountProvider,
  useAddPasskey,
  useAuthenticate,
  useExportAccount,
  useLogout,
  useSendUserOperation,
  useSignerStatus,
  useSignMessage,
  useSignTypedData,
  useSmartAccountClient,
  useUser,
} from '@alchemy/aa-alchemy/react'
import { sepolia } from '@alchemy/aa-core'
import { QueryClient } from '@tanstack/react-query'
// biome-ignore lint/style/useNodejsImportProtocol: the package of that name, for browsers.
import { Buffer } from 'buffer'
import { createElement as h, useEffect } from 'react'
import { createRoot } from 'react-dom/client'
import { readPageConfig } from './hooksPage.ts'

// Follows the published documentation. Contains no URLs of Latchkey.

Object.assign(globalThis, { Buffer })
const { rootOrgId, apiKey } = readPageConfig()
// Without `ssr`, the provider would create a signer on every render.
const config = createConfig({ apiKey, chain: sepolia, rootOrgId, ssr: true })
const queryClient = new QueryClient()
const gasManagerConfig = { policyId: 'default' }

function Hooks() {
  const user = useUser()
  const { status } = useSignerStatus()
  const { authenticateAsync } = useAuthenticate()
  const { client, address } = useSmartAccountClient({ type: 'LightAccount', gasManagerConfig })
  const { sendUserOperationAsync } = useSendUserOperation({ client, waitForTxn: true })
  const { signMessageAsync } = useSignMessage({ client })
  const { signTypedDataAsync } = useSignTypedData({ client })
  const { addPasskey } = useAddPasskey()
  const exporting = useExportAccount({ params: { iframeContainerId: 'exported' } })
  const { logout } = useLogout()
  useEffect(() => {
    window.hooks = {
      status,
      user,
      address: client && address,
      isExported: exporting.isExported,
      exportError: exporting.error?.message,
      authenticate: (parameters) => authenticateAsync(parameters as never),
      send: async () => (await sendUserOperationAsync({ uo: { target: address ?? '0x', data: '0x' } })).hash,
      signMessage: (message) => signMessageAsync({ message }),
      signTypedData: (typedData) => signTypedDataAsync({ typedData: typedData as never }),
      addPasskey: () => settle((handlers) => addPasskey(undefined, handlers)),
      exportAccount: () => exporting.exportAccount(),
      logout: () => settle((handlers) => logout(undefined, handlers)),
    }
  })
  return h(exporting.ExportAccountComponent, { isExported: exporting.isExported })
}

/** Wraps hooks that return no promise. */
function settle(
  mutate: (handlers: { onSuccess(value: unknown): void; onError(error: Error): void }) => void,
): Promise<unknown> {
  return new Promise((onSuccess, onError) => mutate({ onSuccess, onError }))
}

const root = document.getElementById('root')
if (root) createRoot(root).render(h(AlchemyAccountProvider, { config, queryClient }, h(Hooks)))
