import { type Hex, zeroAddress } from 'viem'
import { sentence } from '../format.ts'
import { type Activity, readActivity, updateActivity } from './activity.ts'
import type { Client } from './useOperations.ts'

/** Waits for an operation and writes down what became of it. One that was replaced meanwhile has no say any more. */
export async function followOperation(client: Client, key: string, id: string, hash: Hex): Promise<void> {
  const change = (entry: Partial<Activity>) => updateActivity(key, id, entry)
  try {
    await client.waitForUserOperationTransaction({ hash })
    const receipt = await client.getUserOperationReceipt(hash)
    change({
      status: 'done',
      // The one replaced can be the one that was included after all.
      userOpHash: hash,
      block: receipt?.receipt.blockNumber.toLocaleString('en-US'),
      gasUsed: receipt?.actualGasUsed.toString(),
      isSponsored: receipt?.paymaster !== undefined && receipt.paymaster !== zeroAddress,
    })
  } catch (error) {
    const entry = readActivity(key).find((one) => one.id === id)
    if (entry?.status !== 'pending' || entry.userOpHash !== hash) return
    console.error(error)
    change({ status: 'failed', note: sentence(error) })
  }
}
