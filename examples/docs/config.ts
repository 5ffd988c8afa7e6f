/** Values that the examples in docstrings import from `./config.ts`. The examples are compiled, but not run. */

import { createConfig, createOperationContext, createSmartAccountClient, latchkeyEndpoints } from 'latchkey'
import { toLightAccount, toModularAccount } from 'latchkey/accounts'
import { latchkeyDev } from 'latchkey/chains'
import { createSigner } from 'latchkey/signer'
import { createPublicClient, http } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'

const endpoints = latchkeyEndpoints('http://localhost:4101')

export const chain = latchkeyDev
export const config = createConfig({ chain, apiKey: 'latchkey-dev', endpoints })
export const signer = createSigner({ client: { connection: { apiKey: 'latchkey-dev' }, endpoints } })
export const owner = privateKeyToAccount(generatePrivateKey())
export const publicClient = createPublicClient({ chain, transport: http('http://localhost:4109') })
export const bundlerTransport = http('http://localhost:4110')
export const account = await toLightAccount({ client: publicClient, owner })
export const modularAccount = await toModularAccount({ client: publicClient, owner })
export const client = createSmartAccountClient({ account, transport: bundlerTransport })
export const context = createOperationContext({ account, transport: bundlerTransport })
export const modularClient = createSmartAccountClient({ account: modularAccount, transport: bundlerTransport })
