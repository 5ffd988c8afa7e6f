import { type Address, type Client, getAddress } from 'viem'
import { BaseError } from '../../core/errors/BaseError.ts'
import { orRpcError } from '../rpc/orRpcError.ts'

/** ERC-1967: keccak256('eip1967.proxy.implementation') - 1. */
const slot = '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc'

/** Implementation behind a proxy (ERC-1967); the zero address while there is none. Throws `STORAGE_SLOT_FAILED`. */
export async function getImplementationAddress(parameters: { client: Client; address: Address }): Promise<Address> {
  const { client, address } = parameters
  const asking = client.request({ method: 'eth_getStorageAt', params: [address, slot, 'latest'] })
  const value = await orRpcError(asking, 'Could not read the implementation of the account.')
  if (value) return getAddress(`0x${value.slice(2).padStart(40, '0').slice(-40)}`)
  throw new BaseError(`Failed to get storage slot ${slot} (Proxy Implementation Address)`, {
    code: 'STORAGE_SLOT_FAILED',
    metaMessages: [`Account: ${address}`],
    name: 'FailedToGetStorageSlotError',
  })
}
