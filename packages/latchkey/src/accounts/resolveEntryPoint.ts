import type { Address, Chain } from 'viem'
import type { EntryPointVersion } from '../core/chains/entryPoints.ts'
import { getEntryPointAddress } from '../core/chains/getEntryPointAddress.ts'
import { BaseError } from '../core/errors/BaseError.ts'
import type { AccountContract } from './contract.ts'

/** Which entry point an account is to use, where it is not the chain's for the contract's version. */
export type EntryPointParameter = { version?: EntryPointVersion | undefined; address?: Address | undefined }

/** Address of the entry point an account works with. Throws `ENTRY_POINT_NOT_FOUND`. */
export function resolveEntryPoint(
  chain: Chain,
  contract: AccountContract,
  asked: EntryPointParameter | undefined,
): Address {
  const { source, version, entryPointVersion } = contract
  if (asked?.version === undefined || asked.version === entryPointVersion) {
    return getEntryPointAddress({ chain, version: entryPointVersion, address: asked?.address })
  }
  throw new BaseError(`${source} ${version} works with EntryPoint ${entryPointVersion} only.`, {
    code: 'ENTRY_POINT_NOT_FOUND',
  })
}
