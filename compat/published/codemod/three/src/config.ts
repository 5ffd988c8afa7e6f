import { type AlchemyClientState, cookieStorage, cookieToInitialState, createConfig } from '@alchemy/aa-alchemy/config'
import { baseSepolia, sepolia } from '@alchemy/aa-core'

// Without `ssr`, the provider of 3.14 would create a signer on every render.
export const config = createConfig({ apiKey: 'latchkey-dev', chain: sepolia, ssr: true })

// Other forms of the call.
export const forms = {
  byToken: () => createConfig({ jwt: 'token', chain: sepolia }),
  byUrl: () => createConfig({ rpcUrl: 'https://rpc.example.com', chain: sepolia, signerConnection: { apiKey: 'key' } }),
  severalChains: () =>
    createConfig({
      chain: sepolia,
      connections: [
        { chain: sepolia, apiKey: 'key' },
        { chain: baseSepolia, apiKey: 'key' },
      ],
      signerConnection: { apiKey: 'key' },
    }),
  rendered: () =>
    createConfig({
      apiKey: 'key',
      chain: sepolia,
      ssr: true,
      storage: cookieStorage,
      sessionConfig: { expirationTimeMs: 3_600_000 },
      iframeConfig: { iframeContainerId: 'container' },
    }),
}

export function restore(cookie: string): AlchemyClientState | undefined {
  return cookieToInitialState(config, cookie)
}
