import { alchemy, sepolia } from '@account-kit/infra'
import { type AlchemyAccountsUIConfig, cookieStorage, createConfig } from '@account-kit/react'
import { QueryClient } from '@tanstack/react-query'

const uiConfig: AlchemyAccountsUIConfig = {
  illustrationStyle: 'outline',
  auth: {
    sections: [
      [{ type: 'email' }],
      [
        { type: 'passkey' },
        { type: 'social', authProviderId: 'google', mode: 'popup' },
        { type: 'social', authProviderId: 'facebook', mode: 'popup' },
      ],
    ],
    addPasskeyOnSignup: true,
    header: 'Welcome',
  },
}

export const config = createConfig(
  {
    transport: alchemy({ rpcUrl: '/api/rpc' }),
    chain: sepolia,
    ssr: true,
    storage: cookieStorage,
    enablePopupOauth: true,
    policyId: process.env.NEXT_PUBLIC_POLICY_ID ?? 'default',
  },
  uiConfig,
)

export const queryClient = new QueryClient()
