import { encodeFunctionData, type Hex } from 'viem'
import type { Call } from '../types.ts'
import { lightAccountAbi } from './lightAccountAbi.ts'

/** Call data of a LightAccount: `execute` for one call, the three-array `executeBatch` for several. */
export function encodeLightCalls(calls: readonly [Call, ...Call[]]): Hex {
  const [first, ...more] = calls
  if (more.length === 0) {
    return encodeFunctionData({
      abi: lightAccountAbi,
      functionName: 'execute',
      args: [first.to, first.value ?? 0n, first.data ?? '0x'],
    })
  }
  return encodeFunctionData({
    abi: lightAccountAbi,
    functionName: 'executeBatch',
    args: [calls.map((call) => call.to), calls.map((call) => call.value ?? 0n), calls.map((call) => call.data ?? '0x')],
  })
}
