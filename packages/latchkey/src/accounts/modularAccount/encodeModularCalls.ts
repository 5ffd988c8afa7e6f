import { encodeFunctionData, type Hex } from 'viem'
import type { Call } from '../types.ts'
import { modularAccountAbi } from './modularAccountAbi.ts'

/** Call data of a modular account: `execute` for one call, `executeBatch` of call structs for several. */
export function encodeModularCalls(calls: readonly [Call, ...Call[]]): Hex {
  const [first, ...more] = calls.map(({ to, value = 0n, data = '0x' }) => ({ target: to, value, data }))
  if (first && more.length === 0) {
    const args = [first.target, first.value, first.data] as const
    return encodeFunctionData({ abi: modularAccountAbi, functionName: 'execute', args })
  }
  return encodeFunctionData({
    abi: modularAccountAbi,
    functionName: 'executeBatch',
    args: [first ? [first, ...more] : []],
  })
}
