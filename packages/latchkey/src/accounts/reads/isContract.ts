import type { Address, Client } from 'viem'
import { orRpcError } from '../rpc/orRpcError.ts'

/** Whether there is code at an address. */
export async function isContract({ client, address }: { client: Client; address: Address }): Promise<boolean> {
  const asking = client.request({ method: 'eth_getCode', params: [address, 'latest'] })
  return (await orRpcError(asking, 'Could not read whether the account is deployed.')).length > 2
}
