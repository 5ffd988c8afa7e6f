import { encodeFunctionData, type Hex } from 'viem'
import type { WholeCall } from '../contract.ts'
import { lightAccountAbi as abi } from './lightAccountAbi.ts'

/** Call data of a LightAccount: `execute` for one call, the three-array `executeBatch` for several. */
export function encodeLightCalls(calls: readonly [WholeCall, ...WholeCall[]]): Hex {
  const [{ to, value, data }, ...more] = calls
  if (more.length === 0) return encodeFunctionData({ abi, functionName: 'execute', args: [to, value, data] })
  const args = [calls.map((call) => call.to), calls.map((call) => call.value), calls.map((call) => call.data)] as const
  return encodeFunctionData({ abi, functionName: 'executeBatch', args })
}
