import { alchemy, sepolia } from '@account-kit/infra'
import { createConfig } from '@account-kit/react'
import { QueryClient } from '@tanstack/react-query'

const transport = alchemy({ apiKey: 'latchkey-dev' })

export const config = createConfig(
  {
    transport,
    chain: sepolia,
    policyId: 'default',
    sessionConfig: { expirationTimeMs: 1000 * 60 * 60 },
  },
  {
    uiMode: 'embedded',
    auth: {
      sections: [[{ type: 'email', emailMode: 'otp' }], [{ type: 'passkey' }]],
      hideSignInText: true,
    },
    supportUrl: 'https://example.com/help',
  },
)

export const queryClient = new QueryClient()
