import { createSmartAccountClient, rpcTransport } from 'latchkey'
import { toLightAccount } from 'latchkey/accounts'
import { defineLatchkeyChain, sepolia } from 'latchkey/chains'
import { createClient } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'

// The page of `roundtrips`: `send()` sends a sponsored operation and reports when it was accepted and included.

/** A page's. The rest of this folder is Node's. */
declare const location: { search: string }

const settings = new URLSearchParams(location.search)
const rpcUrl = settings.get('rpcUrl') ?? ''
const chain = defineLatchkeyChain({ chain: { ...sepolia, blockTime: 100 }, rpcBaseUrl: rpcUrl, gateway: true })
const reader = createClient({ chain, transport: rpcTransport({ rpcUrl }) })
const account = await toLightAccount({ client: reader, owner: privateKeyToAccount(generatePrivateKey()) })
const client = createSmartAccountClient({
  account,
  connection: { rpcUrl },
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
