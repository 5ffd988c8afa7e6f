import type { Address } from 'viem'
import { rpc } from '../../rpc.ts'
import type { RpcClient } from '../types.ts'

/** `eth_supportedEntryPoints` (ERC-7769). */
export async function getSupportedEntryPoints(client: RpcClient): Promise<readonly Address[]> {
  const action = 'Could not read which entry points the bundler supports.'
  const answer = await rpc(client, { method: 'eth_supportedEntryPoints', params: [], action })
  return Array.isArray(answer) ? answer : []
}
