import { type Address, encodeFunctionData, type Hex, parseAbi, size } from 'viem'
import type { Movement } from './readMovements.ts'
import type { SimulatedCall, SimulatedOutcome } from './types.ts'

const abi = parseAbi(['function balanceOf(address account) view returns (uint256)'])
const gas: Hex = '0x186a0'

export function balanceCalls(tokens: readonly Address[], account: Address, from: Address): SimulatedCall[] {
  const data = encodeFunctionData({ abi, functionName: 'balanceOf', args: [account] })
  return tokens.map((to) => ({ from, to, data, gas }))
}

export declare namespace correctAmounts {
  type Parameters = {
    movements: readonly Movement[]
    account: Address
    tokens: readonly Address[]
    /** Results of `balanceCalls`, before and after the operation. */
    before: readonly SimulatedOutcome[]
    after: readonly SimulatedOutcome[]
  }
}

/**
 * Corrects amounts by balances, since a fee-on-transfer token may report the requested amount instead of the received
 * one. Uses the balance change if an ERC-20 reports a single transfer of the account.
 */
export function correctAmounts(parameters: correctAmounts.Parameters): Movement[] {
  const { movements, account, tokens, before, after } = parameters
  const gained = new Map(
    tokens.map((token, index) => {
      const [old, now] = [readAmount(before[index]), readAmount(after[index])]
      return [token, old === undefined || now === undefined ? undefined : now - old]
    }),
  )
  const isOwn = ({ assetType, changeType, from, to }: Movement) =>
    assetType === 'ERC20' && changeType === 'TRANSFER' && isSame(from, account) !== isSame(to, account)
  return movements.map((movement) => {
    const { contractAddress, to } = movement
    const sameToken = movements.filter((other) => isOwn(other) && other.contractAddress === contractAddress)
    const gain = contractAddress && isOwn(movement) && sameToken.length === 1 ? gained.get(contractAddress) : undefined
    if (gain === undefined) return movement
    const amount = isSame(to, account) ? gain : -gain
    return amount < 0n ? movement : { ...movement, amount }
  })
}

function readAmount(outcome: SimulatedOutcome | undefined): bigint | undefined {
  return outcome?.success && size(outcome.returnData) >= 32 ? BigInt(outcome.returnData.slice(0, 66)) : undefined
}

function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase()
}
