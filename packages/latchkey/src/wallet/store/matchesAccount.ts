import type { Address } from 'viem'
import type { AccountConfig } from './types.ts'

const defaultVersion = 'v1.1.0'

/**
 * Checks whether a known account matches the requested parameters. Compares only given parameters, so empty parameters
 * match any account.
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
    // An account of the chain's own factory has its factory address only in the init code.
    agrees(factoryAddress, known.factoryAddress ?? known.initCode?.slice(0, 42)) &&
    agrees(entryPoint?.address, known.entryPoint?.address)
  )
}

/** Returns a key for a set of owners, independent of their order. */
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
