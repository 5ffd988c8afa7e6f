import { type Address, encodeFunctionData, parseAbi, parseEther } from 'viem'
import { formatAmount } from '../amounts.ts'
import { shortHex } from '../format.ts'
import type { Recipient } from './recipients.ts'
import type { Operation } from './useSending.ts'

/** DEMO, an ERC-20 token of the local chain with 18 decimals. Every account may mint it. */
export const demoAbi = parseAbi([
  'function balanceOf(address) view returns (uint256)',
  'function mint(address to, uint256 amount)',
  'function transfer(address to, uint256 amount) returns (bool)',
])

export function mintOperation(demo: Address, to: Address): Operation {
  const data = encodeFunctionData({ abi: demoAbi, functionName: 'mint', args: [to, parseEther('100')] })
  return { title: 'Minted 100 DEMO', failed: 'Could not mint 100 DEMO', calls: [{ target: demo, data }] }
}

/** Returns an operation with one call per recipient. Either all calls take effect or none. */
export function sendOperation(demo: Address, recipients: readonly Recipient[]): Operation {
  const calls = recipients.map(({ to, amount }) => ({
    target: demo,
    data: encodeFunctionData({ abi: demoAbi, functionName: 'transfer', args: [to, amount] }),
  }))
  const [first] = recipients
  if (recipients.length !== 1 || !first)
    return { title: `Batch of ${calls.length} calls`, failed: 'Could not send the batch', calls }
  const what = `${formatAmount(first.amount)} DEMO to ${shortHex(first.to)}`
  return { title: `Sent ${what}`, failed: `Could not send ${what}`, calls }
}
