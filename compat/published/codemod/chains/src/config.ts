import { createConfig } from '@alchemy/aa-alchemy/config'
import { arbitrumSepolia, baseSepolia, sepolia } from '@alchemy/aa-core'

export const chains = [sepolia, baseSepolia, arbitrumSepolia]

export const config = createConfig({
  chain: sepolia,
  connections: chains.map((chain) => ({ chain, rpcUrl: `/api/rpc/${chain.id}` })),
  signerConnection: { rpcUrl: '/api/signer' },
  sessionConfig: { expirationTimeMs: 3_600_000 },
})
