import type { Address, Chain } from 'viem'
import { requireAddress } from '../arguments.ts'
import { BaseError } from '../errors/BaseError.ts'
import { getChainContracts } from './defineLatchkeyChain.ts'
import { type EntryPointVersion, entryPoints } from './entryPoints.ts'
import { isKnownChain } from './supportedChainIds.ts'

export declare namespace getEntryPointAddress {
  type Parameters = {
    chain: Chain
    /** @default '0.6.0' */
    version?: EntryPointVersion | undefined
    /** Takes precedence over the chain and the table. */
    address?: Address | undefined
  }
  /** EIP-55. */
  type ReturnType = Address
}

/**
 * Returns the address of an EntryPoint (ERC-4337): the parameter, then the chain object's, then the table's.
 *
 * @throws `ENTRY_POINT_NOT_FOUND`, `ADDRESS_INVALID`.
 *
 * @example
 * ```ts
 * import { getEntryPointAddress, sepolia } from 'latchkey/chains'
 *
 * const entryPoint = getEntryPointAddress({ chain: sepolia, version: '0.7.0' })
 * console.log(entryPoint)
 * ```
 */
export function getEntryPointAddress(parameters: getEntryPointAddress.Parameters): getEntryPointAddress.ReturnType {
  const { chain, version = '0.6.0' } = parameters
  const found = parameters.address ?? getChainContracts(chain).entryPoints?.[version]?.address
  if (found) return requireAddress(found)
  if (isKnownChain(chain.id) && Object.hasOwn(entryPoints, version)) return entryPoints[version].address
  throw new BaseError(`No default entry point v${version} exists for ${chain.name}.`, {
    code: 'ENTRY_POINT_NOT_FOUND',
    metaMessages: ['Supply an override.', 'Pass `entryPoint`, or define the chain with `defineLatchkeyChain`.'],
    name: 'EntryPointNotFoundError',
  })
}
