import type { Address } from 'viem'
import type { AccountConfig } from './types.ts'

const defaultVersion = 'v1.1.0'

/**
 * Checks whether a known account matches the request. Only given parameters are compared: an empty request matches any
 * account.
 */
export function matchesAccount(requested: AccountConfig | undefined, known: AccountConfig): boolean {
  const { version, mode, salt, owners, accountAddress, factoryAddress, initCode, entryPoint } = requested ?? {}
  return (
    agrees(version, known.version ?? defaultVersion) &&
    agrees(mode, known.mode ?? 'default') &&
    agrees(salt, known.salt ?? 0n) &&
    agrees(owners && toKey(owners), toKey(known.owners ?? [])) &&
    agrees(accountAddress, known.accountAddress) &&
    agrees(initCode, known.initCode) &&
    // For an account of the chain's own factory, only the init code contains the factory.
    agrees(factoryAddress, known.factoryAddress ?? known.initCode?.slice(0, 42)) &&
    agrees(entryPoint?.address, known.entryPoint?.address)
  )
}

/** Returns the same text for the same owners, in any order. */
function toKey(owners: readonly Address[]): string {
  return owners
    .map((owner) => owner.toLowerCase())
    .sort()
    .join()
}

function agrees(requested: string | bigint | undefined, known: string | bigint | undefined): boolean {
  if (requested === undefined) return true
  if (typeof requested !== 'string' || typeof known !== 'string') return requested === known
  return requested.toLowerCase() === known.toLowerCase()
}
