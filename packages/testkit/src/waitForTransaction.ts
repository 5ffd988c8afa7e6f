import { setTimeout } from 'node:timers/promises'
import type { Client, Hash, TransactionReceipt } from 'viem'
import { getTransactionReceipt } from 'viem/actions'
import { FixtureError } from './FixtureError.ts'

const patienceMs = 60_000
const nudgeMs = 5_000

/**
 * Polls for the receipt, and mines another block if needed. viem would wait for a block after the transaction's block,
 * which may be the last.
 */
export async function waitForTransaction(client: Client, hash: Hash): Promise<TransactionReceipt> {
  const start = Date.now()
  for (let nudges = 1; Date.now() - start < patienceMs; await setTimeout(20)) {
    const receipt = await getTransactionReceipt(client, { hash }).catch(() => undefined)
    if (receipt) return receipt
    if (Date.now() - start < nudges * nudgeMs) continue
    nudges++
    await client.request<{ Method: 'evm_mine'; Parameters?: undefined; ReturnType: unknown }>({ method: 'evm_mine' })
  }
  throw new FixtureError(`Transaction ${hash} has no receipt after ${patienceMs / 1000} s.`)
}
