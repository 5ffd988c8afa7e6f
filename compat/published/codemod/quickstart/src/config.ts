import { alchemy, baseSepolia, sepolia } from '@account-kit/infra'
import { cookieStorage, createConfig } from '@account-kit/react'
import { QueryClient } from '@tanstack/react-query'

export const config = createConfig(
  {
    transport: alchemy({ apiKey: 'latchkey-dev' }),
    chain: sepolia,
    chains: [{ chain: sepolia }, { chain: baseSepolia }],
    ssr: true,
    storage: cookieStorage,
    policyId: 'default',
    enablePopupOauth: true,
  },
  {
    illustrationStyle: 'outline',
    auth: { sections: [[{ type: 'email' }], [{ type: 'passkey' }]], addPasskeyOnSignup: false },
  },
)

export const queryClient = new QueryClient()
