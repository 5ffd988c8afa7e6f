import { createLightAccountAlchemyClient } from '@alchemy/aa-alchemy'
import { LocalAccountSigner, sepolia } from '@alchemy/aa-core'
import { generatePrivateKey } from 'viem/accounts'

// The same page as `bench/sendPage.ts`, by the client as it was published.

const settings = new URLSearchParams(globalThis.location.search)
const client = await createLightAccountAlchemyClient({
  rpcUrl: settings.get('rpcUrl') ?? '',
  chain: sepolia,
  signer: LocalAccountSigner.privateKeyToAccountSigner(generatePrivateKey()),
  gasManagerConfig: { policyId: settings.get('policyId') ?? '' },
})

async function send(): Promise<{ accepted: number; included: number }> {
  const start = performance.now()
  const uo = { target: '0x000000000000000000000000000000000000dEaD', data: '0x' } as const
  const { hash } = await client.sendUserOperation({ uo })
  const accepted = performance.now() - start
  Object.assign(globalThis, { accepted })
  await client.waitForUserOperationTransaction({ hash })
  return { accepted, included: performance.now() - start }
}

Object.assign(globalThis, { send })
