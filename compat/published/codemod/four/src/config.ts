import { alchemy, baseSepolia, sepolia } from '@account-kit/infra'
import { cookieStorage, createConfig } from '@account-kit/react'

export const config = createConfig(
  {
    transport: alchemy({ apiKey: 'latchkey-dev' }),
    chain: sepolia,
    ssr: true,
    storage: cookieStorage,
    enablePopupOauth: true,
    sessionConfig: { expirationTimeMs: 3_600_000 },
    policyId: 'default',
  },
  { auth: { sections: [[{ type: 'email' }], [{ type: 'passkey' }]], addPasskeyOnSignup: true } },
)

const transport = alchemy({ jwt: 'token' })

// Other forms of the calls.
export const forms = {
  apart: () => createConfig({ transport, chain: sepolia }),
  severalChains: () =>
    createConfig({
      chain: sepolia,
      chains: [
        { chain: sepolia, transport: alchemy({ apiKey: 'key' }) },
        { chain: baseSepolia, transport: alchemy({ apiKey: 'key' }) },
      ],
      signerConnection: { apiKey: 'key' },
    }),
}
