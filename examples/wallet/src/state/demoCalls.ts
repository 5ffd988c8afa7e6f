import { type Address, encodeFunctionData, parseEther } from 'viem'
import { demoAbi } from '../demoToken.ts'
import { formatAmount, shortHex } from '../format.ts'
import type { Recipient } from './recipients.ts'
import type { Operation } from './useOperations.ts'

export function mintOperation(demo: Address, to: Address): Operation {
  const data = encodeFunctionData({ abi: demoAbi, functionName: 'mint', args: [to, parseEther('100')] })
  return { title: 'Minted 100 DEMO', calls: [{ target: demo, data }] }
}

/** One call a recipient, all in one operation: all of them happen or none. */
export function sendOperation(demo: Address, recipients: readonly Recipient[]): Operation {
  const calls = recipients.map(({ to, amount }) => ({
    target: demo,
    data: encodeFunctionData({ abi: demoAbi, functionName: 'transfer', args: [to, amount] }),
  }))
  const [first] = recipients
  const title =
    recipients.length === 1 && first
      ? `Sent ${formatAmount(first.amount)} DEMO to ${shortHex(first.to)}`
      : `Batch of ${calls.length} calls`
  return { title, calls }
}
