import { createSmartAccountClient } from 'latchkey'
import { type LatchkeyAccount, toLightAccount, toModularAccount, toMultiOwnerLightAccount } from 'latchkey/accounts'
import { latchkeyDevChain } from 'latchkey/chains'
import { startTestWorld } from 'latchkey-dev/testing'
import {
  type Chain,
  createPublicClient,
  createTestClient,
  http,
  keccak256,
  type PrivateKeyAccount,
  type PublicClient,
  parseAbi,
  parseEther,
  parseGwei,
  type Transport,
  toHex,
  walletActions,
} from 'viem'
import { createBundlerClient } from 'viem/account-abstraction'
import { privateKeyToAccount } from 'viem/accounts'
import type { Measure, Result } from './types.ts'

type Reader = PublicClient<Transport, Chain>
type Kind = { name: string; make(client: Reader, owner: PrivateKeyAccount): Promise<LatchkeyAccount> }

/** A line a contract: each gets the same rows. */
const kinds: readonly Kind[] = [
  { name: 'LightAccount v1.1.0', make: (client, owner) => toLightAccount({ client, owner, version: 'v1.1.0' }) },
  { name: 'LightAccount v2.0.0', make: (client, owner) => toLightAccount({ client, owner, version: 'v2.0.0' }) },
  { name: 'MultiOwnerLightAccount v2.0.0', make: (client, owner) => toMultiOwnerLightAccount({ client, owner }) },
  { name: 'MultiOwnerModularAccount', make: (client, owner) => toModularAccount({ client, owner }) },
]

class GasBenchFailed extends Error {}

/** The same in each run, and so are the signatures. */
const keyOf = (name: string): PrivateKeyAccount => privateKeyToAccount(keccak256(toHex(name)))

const recipients = Array.from({ length: 10 }, (_, index) => keyOf(`recipient ${index}`).address)
const amount = parseEther('0.1')
const depositAbi = parseAbi(['function depositTo(address account) payable'])
// Left to itself viem doubles the tip the chain names, which names a doubled one next time.
const fees = { maxFeePerGas: parseGwei('3'), maxPriorityFeePerGas: parseGwei('1') }

/**
 * actualGasUsed of user operations, one a bundle, nonce key 0, to recipients that exist. The first deploys the account,
 * which pays from its balance; for those after it the deposit covers what they may cost. Gas limits are the bundler's
 * estimates, or, for `sponsored` (a transfer that the paymaster pays for), the gateway's.
 */
export const measure: Measure = async ({ log }) => {
  const world = await startTestWorld({ example: false })
  try {
    const { node: nodeUrl, gateway: gatewayUrl } = world.urls
    const chain = latchkeyDevChain({ id: world.chainId, nodeUrl, gatewayUrl })
    const client = createPublicClient({ chain, transport: http(nodeUrl) })
    const node = createTestClient({ mode: 'anvil', chain, transport: http(nodeUrl) }).extend(walletActions)
    const faucet = keyOf('faucet')
    for (const address of [faucet.address, ...recipients]) await node.setBalance({ address, value: parseEther('1000') })

    const results: Result[] = []
    for (const { name, make } of kinds) {
      log(`${name} …`)
      const account = await make(client, keyOf(name))
      await node.setBalance({ address: account.address, value: parseEther('100') })
      const add = (row: string, value: number) => results.push({ name: `${name}/${row}`, value, unit: 'gas' })
      const transfers = transfersOf({ account, client, bundlerUrl: world.urls.bundler })
      add('deploy+transfer', await transfers(1))
      const hash = await node.writeContract({
        account: faucet,
        address: account.entryPoint.address,
        abi: depositAbi,
        functionName: 'depositTo',
        args: [account.address],
        value: parseEther('10'),
      })
      await client.waitForTransactionReceipt({ hash })
      add('transfer', await transfers(1))
      add('batch5', await transfers(5))
      add('batch10', await transfers(10))
      add('sponsored', await sponsoredTransfer({ account, apiKey: world.apiKey, policyId: world.policyId }))
    }
    return results
  } finally {
    await world.close()
  }
}

type Transfers = { account: LatchkeyAccount; client: Reader; bundlerUrl: string }

/** Sends one operation of so many transfers, by viem's own bundler client. */
function transfersOf({ account, client, bundlerUrl }: Transfers): (count: number) => Promise<number> {
  const transport = http(bundlerUrl)
  const userOperation = { estimateFeesPerGas: async () => fees }
  const bundler = createBundlerClient({ account, client, transport, pollingInterval: 20, userOperation })
  return async (count) => {
    const calls = recipients.slice(0, count).map((to) => ({ to, value: amount }))
    const hash = await bundler.sendUserOperation({ calls, nonce: await account.getNonce() })
    const { actualGasUsed, success } = await bundler.waitForUserOperationReceipt({ hash, timeout: 30_000 })
    if (!success) throw new GasBenchFailed(`An operation of ${count} transfers failed.`)
    return Number(actualGasUsed)
  }
}

type Sponsored = { account: LatchkeyAccount; apiKey: string; policyId: string }

async function sponsoredTransfer({ account, apiKey, policyId }: Sponsored): Promise<number> {
  const client = createSmartAccountClient({ account, connection: { apiKey }, gasManagerConfig: { policyId } })
  const [target = account.address] = recipients
  const { hash } = await client.sendUserOperation({ uo: { target, data: '0x', value: amount } })
  await client.waitForUserOperationTransaction({ hash })
  const receipt = await client.getUserOperationReceipt(hash)
  if (!receipt?.success) throw new GasBenchFailed('A sponsored transfer failed.')
  return Number(receipt.actualGasUsed)
}
