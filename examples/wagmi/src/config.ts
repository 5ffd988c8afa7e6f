import { createConfig as createLatchkeyConfig, latchkeyEndpoints } from 'latchkey'
import { defineLatchkeyDevChain, sepolia } from 'latchkey/chains'
import { latchkey } from 'latchkey/wagmi'
import { createConfig, http } from 'wagmi'

const { VITE_SIGNER_API_URL, VITE_GATEWAY_URL, VITE_NODE_URL } = import.meta.env

export const chain = defineLatchkeyDevChain({ gatewayUrl: VITE_GATEWAY_URL, nodeUrl: VITE_NODE_URL })
/** Second chain, for switching chains. */
export const otherChain = sepolia

export const config = createLatchkeyConfig({
  chain,
  connections: [
    { chain, apiKey: 'latchkey-dev' },
    { chain: otherChain, rpcUrl: VITE_NODE_URL ?? 'http://localhost:4109' },
  ],
  signerConnection: { apiKey: 'latchkey-dev' },
  endpoints: latchkeyEndpoints(VITE_SIGNER_API_URL ?? 'http://localhost:4101'),
})

export const wagmiConfig = createConfig({
  chains: [chain, otherChain],
  connectors: [latchkey({ config, gasManagerConfig: { policyId: 'default' } })],
  transports: { [chain.id]: http(VITE_NODE_URL), [otherChain.id]: http(VITE_NODE_URL) },
  pollingInterval: 100,
})

declare module 'wagmi' {
  interface Register {
    config: typeof wagmiConfig
  }
}
