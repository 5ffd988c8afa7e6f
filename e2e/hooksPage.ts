import {
  type AccountType,
  createConfig,
  type LatchkeyConfig,
  type LightAccountActions,
  lightAccountActions,
  type MultiOwnerLightAccountActions,
  multiOwnerLightAccountActions,
  type SmartAccountClient,
} from 'latchkey'
import { defineLatchkeyDevChain } from 'latchkey/chains'
import {
  LatchkeyProvider,
  useAccount,
  useAddPasskey,
  useAuthenticate,
  useAuthMethods,
  useAuthModal,
  useBundlerClient,
  useChain,
  useClientActions,
  useConfirmation,
  useConnectedProviders,
  useDeletion,
  useDropAndReplaceUserOperation,
  useLogout,
  useMFA,
  useOperation,
  useOperations,
  useSendCalls,
  useSendTransaction,
  useSendTransactions,
  useSendUserOperation,
  useSession,
  useSigner,
  useSignerStatus,
  useSignMessage,
  useSignTypedData,
  useSimulation,
  useSmartAccountClient,
  useUser,
  useWaitForUserOperationTransaction,
} from 'latchkey/react'
import { latchkeyEndpoints } from 'latchkey/signer'
import { createElement as h, StrictMode, version } from 'react'
import { createRoot } from 'react-dom/client'
import type { Address } from 'viem'

// Renders one component per hook. The test reads each hook's last value and number of renders.

export type Given = {
  nodeUrl: string
  gatewayUrl: string
  signerApiUrl: string
  apiKey: string
  policyId: string
  chainId: number
  paymasters: { '0.6.0': Address; '0.7.0': Address }
  demo: Address
  mint: `0x${string}`
}

declare global {
  interface Window {
    given: Given
    hooks: HookValues
    renders: Record<string, number>
    config: LatchkeyConfig
    chains: ReturnType<typeof makeChains>
    reactVersion: string
  }
}

const light = 'LightAccount'
const multi = 'MultiOwnerLightAccount'

function useClient(type: AccountType = light): SmartAccountClient | undefined {
  return useSmartAccountClient({ type, gasManagerConfig: { policyId: window.given.policyId } }).client
}

const hooks = {
  modal: () => useAuthModal(),
  authenticate: () => useAuthenticate(),
  user: () => useUser(),
  signer: () => useSigner(),
  status: () => useSignerStatus(),
  session: () => useSession(),
  ways: () => useAuthMethods(),
  providers: () => useConnectedProviders(),
  passkey: () => useAddPasskey(),
  confirmation: () => useConfirmation(),
  deletion: () => useDeletion(),
  logout: () => useLogout(),
  mfa: () => useMFA(),
  chain: () => useChain(),
  bundler: () => useBundlerClient(),
  account: () => useAccount({ type: light }),
  skipped: () => useAccount({ type: 'MultiOwnerModularAccount', skipCreate: true }),
  // Untyped code may pass any type.
  unsupported: () => useAccount({ type: String('Safe') as AccountType }),
  client: () => useSmartAccountClient({ type: light }),
  multi: () => useSmartAccountClient({ type: multi }),
  send: () => useSendUserOperation({ client: useClient() }),
  sendAndWait: () => useSendUserOperation({ client: useClient(), waitForTxn: true }),
  sendMulti: () => useSendUserOperation({ client: useClient(multi), waitForTxn: true }),
  wait: () => useWaitForUserOperationTransaction({ client: useClient() }),
  replace: () => useDropAndReplaceUserOperation({ client: useClient() }),
  transaction: () => useSendTransaction({ client: useClient() }),
  transactions: () => useSendTransactions({ client: useClient() }),
  operations: () => useOperations({ client: useClient() }),
  operation: () => {
    const client = useClient()
    return useOperation({ client, id: useOperations({ client }).operations?.[0]?.id })
  },
  calls: () => useSendCalls({ client: useClient() }),
  message: () => useSignMessage({ client: useClient() }),
  typedData: () => useSignTypedData({ client: useClient() }),
  actions: (): useClientActions.ReturnType<MultiOwnerLightAccountActions> =>
    useClientActions({ client: useClient(multi), actions: multiOwnerLightAccountActions }),
  lightActions: (): useClientActions.ReturnType<LightAccountActions> =>
    useClientActions({ client: useClient(), actions: lightAccountActions }),
  simulation: () =>
    useSimulation({ client: useClient(), uo: { target: window.given.demo, data: window.given.mint }, restMs: 0 }),
}

type HookValues = { [name in keyof typeof hooks]: ReturnType<(typeof hooks)[name]> }

window.hooks = {} as HookValues
window.renders = {}
window.reactVersion = version

function keep(name: string, value: unknown): void {
  window.renders[name] = (window.renders[name] ?? 0) + 1
  Object.assign(window.hooks, { [name]: value })
}

function Probe({ name, use }: { name: string; use: () => unknown }) {
  keep(name, use())
  return null
}

const probes = Object.entries(hooks).map(([name, use]) => h(Probe, { key: name, name, use }))

function makeChains({ chainId, nodeUrl, gatewayUrl, paymasters }: Given) {
  const parts = { nodeUrl, gatewayUrl, paymasters }
  return [
    defineLatchkeyDevChain({ ...parts, id: chainId }),
    defineLatchkeyDevChain({ ...parts, id: chainId + 1 }),
    // This chain has no connection.
    defineLatchkeyDevChain({ ...parts, id: chainId + 2 }),
  ] as const
}

const { apiKey, signerApiUrl } = window.given
const chains = makeChains(window.given)
const config = createConfig({
  chain: chains[0],
  connections: [
    { chain: chains[0], apiKey },
    { chain: chains[1], apiKey },
  ],
  signerConnection: { apiKey },
  endpoints: latchkeyEndpoints(signerApiUrl),
})
Object.assign(window, { config, chains })

const place = document.getElementById('root') as HTMLElement
createRoot(place).render(h(StrictMode, null, h(LatchkeyProvider, { config }, probes)))
