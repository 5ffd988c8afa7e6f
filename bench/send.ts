import { createSmartAccountClient } from 'latchkey'
import { toLightAccount } from 'latchkey/accounts'
import { defineLatchkeyDevChain } from 'latchkey/chains'
import { startTestDevnet } from 'latchkey-dev/testing'
import { createClient, createTestClient, http, parseEther } from 'viem'
import { createBundlerClient } from 'viem/account-abstraction'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { median } from './median.ts'
import type { Measure } from './types.ts'

const runs = 15
const call = { to: '0x000000000000000000000000000000000000dEaD', data: '0x' } as const
/** Polls faster than the chain, so that no client waits for a poll. */
const pollMs = 5

/**
 * Measures the milliseconds from the click to included, alternating in one run between two clients: ours with our
 * gateway, sponsored, and viem's bundler client with Alto and the node directly, where the account pays. Accounts are
 * already deployed. Returns medians and their ratio.
 */
export const measure: Measure = async ({ log }) => {
  const devnet = await startTestDevnet({ example: false })
  try {
    const { gateway, node, bundler } = devnet.urls
    const chain = defineLatchkeyDevChain({ id: devnet.chainId, nodeUrl: node, gatewayUrl: gateway })
    const reader = createClient({ chain, transport: http(node) })
    const newAccount = () => toLightAccount({ client: reader, owner: privateKeyToAccount(generatePrivateKey()) })

    const ours = createSmartAccountClient({
      account: await newAccount(),
      connection: { apiKey: devnet.apiKey },
      gasManagerConfig: { policyId: devnet.policyId },
    })
    const account = await newAccount()
    const rich = createTestClient({ mode: 'anvil', transport: http(node) })
    await rich.setBalance({ address: account.address, value: parseEther('1') })
    const bare = createBundlerClient({ account, client: reader, transport: http(bundler), pollingInterval: pollMs })

    const sendOurs = () => ours.sendTransaction(call)
    const fees = { maxFeePerGas: 3_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n }
    const sendBare = async () => {
      const hash = await bare.sendUserOperation({ calls: [call], ...fees })
      await bare.waitForUserOperationReceipt({ hash, timeout: 60_000 })
    }
    log('deploying both accounts …')
    for (let warmUp = 0; warmUp < 2; warmUp++) for (const send of [sendOurs, sendBare]) await send()
    const times = { ours: [] as number[], bare: [] as number[] }
    for (let run = 1; run <= runs; run++) {
      log(`${run} of ${runs} …`)
      times.ours.push(await time(sendOurs))
      times.bare.push(await time(sendBare))
    }
    const [mine, alone] = [median(times.ours), median(times.bare)]
    return [
      { name: 'send/included-ms', value: Math.round(mine), unit: 'ms' },
      { name: 'send/included-bare-ms', value: Math.round(alone), unit: 'ms' },
      { name: 'send/included-ratio', value: Math.round((mine / alone) * 100) / 100, unit: '' },
    ]
  } finally {
    await devnet.close()
  }
}

async function time(act: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await act()
  return performance.now() - start
}
