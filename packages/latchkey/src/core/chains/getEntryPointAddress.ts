import type { Address, Chain } from 'viem'
import { BaseError } from '../errors/BaseError.ts'
import { chainContracts } from './chainContracts.ts'
import { requireAddress } from './requireAddress.ts'
import { isKnownChain } from './supportedChainIds.ts'
import type { EntryPointVersion } from './types.ts'

/** ERC-4337 singletons: the same address on every public chain. */
const addresses: Record<EntryPointVersion, Address> = {
  '0.6.0': '0x5FF137D4b0FDCD49DcA30c7CF57E578a026d2789',
  '0.7.0': '0x0000000071727De22E5E9d8BAf0edAc6f37da032',
}

export declare namespace getEntryPointAddress {
  type Parameters = {
    chain: Chain
    /** Default `0.6.0`. */
    version?: EntryPointVersion | undefined
    /** Wins over everything. */
    address?: Address | undefined
  }
  type ReturnType = Address
  type ErrorType = BaseError
}

/**
 * Address of an EntryPoint: the parameter, else what the chain object says, else the table.
 * Throws `ENTRY_POINT_NOT_FOUND`, `ADDRESS_INVALID`.
 */
export function getEntryPointAddress(parameters: getEntryPointAddress.Parameters): getEntryPointAddress.ReturnType {
  const { chain, version = '0.6.0' } = parameters
  const found = parameters.address ?? chainContracts(chain).entryPoints?.[version]?.address
  if (found) return requireAddress(found)
  if (isKnownChain(chain.id) && Object.hasOwn(addresses, version)) return addresses[version]
  throw new BaseError(`No default entry point v${version} exists for ${chain.name}.`, {
    code: 'ENTRY_POINT_NOT_FOUND',
    metaMessages: ['Supply an override.', 'Pass `entryPoint`, or define the chain with `defineLatchkeyChain`.'],
    name: 'EntryPointNotFoundError',
  })
}
