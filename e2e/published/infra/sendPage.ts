import { LocalAccountSigner } from '@aa-sdk/core'
import { alchemy, defineAlchemyChain, sepolia } from '@account-kit/infra'
import { createLightAccountClient } from '@account-kit/smart-contracts'
import { generatePrivateKey } from 'viem/accounts'

// The same page as `bench/sendPage.ts`, by the later published client.

const settings = new URLSearchParams(globalThis.location.search)
const rpcUrl = settings.get('rpcUrl') ?? ''
const client = await createLightAccountClient({
  transport: alchemy({ rpcUrl }),
  chain: defineAlchemyChain({ chain: sepolia, rpcBaseUrl: rpcUrl }),
  signer: LocalAccountSigner.privateKeyToAccountSigner(generatePrivateKey()),
  version: 'v1.1.0',
  policyId: settings.get('policyId') ?? '',
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
