import type { Address } from 'viem'
import type { AccountConfig } from './types.ts'

const defaultVersion = 'v1.1.0'

/**
 * Whether what is known of an account is the account an app asks for. Only what is named is compared: an app that names
 * nothing means the account there is.
 */
export function isAccountOf(asked: AccountConfig | undefined, known: AccountConfig): boolean {
  const { version, salt, owners, accountAddress, factoryAddress, initCode, entryPoint } = asked ?? {}
  return (
    agrees(version, known.version ?? defaultVersion) &&
    agrees(salt, known.salt ?? 0n) &&
    agrees(owners && nameOf(owners), nameOf(known.owners ?? [])) &&
    agrees(accountAddress, known.accountAddress) &&
    agrees(initCode, known.initCode) &&
    // The chain's own factory is not written down by itself.
    agrees(factoryAddress, known.factoryAddress ?? known.initCode?.slice(0, 42)) &&
    agrees(entryPoint?.address, known.entryPoint?.address)
  )
}

/** The same text for the same owners, in whatever order. */
function nameOf(owners: readonly Address[]): string {
  return owners
    .map((owner) => owner.toLowerCase())
    .sort()
    .join()
}

function agrees(asked: string | bigint | undefined, known: string | bigint | undefined): boolean {
  if (asked === undefined) return true
  if (typeof asked !== 'string' || typeof known !== 'string') return asked === known
  return asked.toLowerCase() === known.toLowerCase()
}
