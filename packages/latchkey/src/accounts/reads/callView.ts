import type { Address, Client, Hex } from 'viem'
import { toRpcError } from '../rpc/toRpcError.ts'

export declare namespace callView {
  type Parameters = {
    client: Client
    address: Address
    data: Hex
    /** What could not be done, as a sentence. */
    action: string
  }
  /** Undefined where the contract has no answer: there is no code, no such function, or it reverts. */
  type ReturnType = Hex | undefined
}

/** Asks a contract. Throws when the node cannot be asked. */
export async function callView({ client, address, data, action }: callView.Parameters): Promise<callView.ReturnType> {
  try {
    const answer = await client.request({ method: 'eth_call', params: [{ to: address, data }, 'latest'] })
    return answer === '0x' ? undefined : answer
  } catch (cause) {
    const error = toRpcError(cause, { action })
    if (error.code === 'RPC_FAILED' && /revert/i.test(error.message)) return undefined
    throw error
  }
}
