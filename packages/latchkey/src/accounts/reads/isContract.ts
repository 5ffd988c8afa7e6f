import type { Address, Client } from 'viem'
import { toRpcError } from '../rpc/toRpcError.ts'

/** Whether there is code at an address. */
export async function isContract({ client, address }: { client: Client; address: Address }): Promise<boolean> {
  try {
    const code = await client.request({ method: 'eth_getCode', params: [address, 'latest'] })
    return code.length > 2
  } catch (error) {
    throw toRpcError(error, { action: 'Could not read whether the account is deployed.' })
  }
}
