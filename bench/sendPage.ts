import { createSmartAccountClient, rpcTransport } from 'latchkey'
import { toLightAccount } from 'latchkey/accounts'
import { defineLatchkeyChain, sepolia } from 'latchkey/chains'
import { createClient } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { exposeSend } from './exposeSend.ts'

// Page measured by `roundtrips`.

/** Globals of a page; the rest of this folder runs in Node. */
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

exposeSend(client)
