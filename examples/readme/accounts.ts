import { toLightAccount } from 'latchkey/accounts'
import { latchkeyDev } from 'latchkey/chains'
import { createPublicClient, http, parseEther } from 'viem'
import { createBundlerClient } from 'viem/account-abstraction'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'

const owner = privateKeyToAccount(generatePrivateKey())
const client = createPublicClient({ chain: latchkeyDev, transport: http('http://localhost:4109') })
const account = await toLightAccount({ client, owner })

// Known before anything is on the chain; the first operation deploys it. Until then somebody has to send it gas money.
console.log(account.address)

const bundler = createBundlerClient({ client, account, transport: http('http://localhost:4110') })
const to = '0x1111111111111111111111111111111111111111'
const hash = await bundler.sendUserOperation({ calls: [{ to, value: parseEther('0.01') }] })
const { success } = await bundler.waitForUserOperationReceipt({ hash })
console.log(success)
