import { toLightAccount } from 'latchkey/accounts'
import { latchkeyDev } from 'latchkey/chains'
import { createPublicClient, createTestClient, http, parseEther } from 'viem'
import { createBundlerClient } from 'viem/account-abstraction'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'

const owner = privateKeyToAccount(generatePrivateKey())
const node = http('http://localhost:4109')
const client = createPublicClient({ chain: latchkeyDev, transport: node })
const account = await toLightAccount({ client, owner })

// The address is known before the deployment, so the account can already receive ether for gas.
await createTestClient({ mode: 'anvil', transport: node }).setBalance({ address: account.address, value: parseEther('1') })

// The first operation deploys the account.
const bundler = createBundlerClient({ client, account, transport: http('http://localhost:4110') })
const to = '0x1111111111111111111111111111111111111111'
const hash = await bundler.sendUserOperation({ calls: [{ to, value: parseEther('0.01') }] })
const { success } = await bundler.waitForUserOperationReceipt({ hash })
console.log(success)
