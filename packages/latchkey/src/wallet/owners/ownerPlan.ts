import { type Address, type Hex, isHex } from 'viem'
import { isAddress } from '../../signer/guards.ts'
import { accountTypes } from '../store/clientState.ts'
import type { AccountType, LatchkeyConfig } from '../store/types.ts'

/**
 * Started rotation to a passkey, stored in this browser until it has completed on every chain. Contains no secrets.
 * Rotations to other owners are not stored: the app passes the owner again.
 */
export type OwnerPlan = {
  address: Address
  type: AccountType
  /** Chain ids. */
  chains: readonly number[]
  keep: 'all' | readonly Address[]
  allowSinglePasskey: boolean
  /** Passkey that becomes an owner. */
  passkey: { id: string; publicKey: Hex }
}

const placeOf = ({ _internal: { page, storageKey } }: LatchkeyConfig) =>
  page && { storage: page.storage('localStorage'), key: `${storageKey}:owner-plan` }

export function storeOwnerPlan(config: LatchkeyConfig, plan: OwnerPlan): void {
  const place = placeOf(config)
  place?.storage.setItem(place.key, JSON.stringify(plan))
}

/** Returns the unfinished rotation stored in this browser; null if there is none. */
export function readOwnerPlan(config: LatchkeyConfig): OwnerPlan | null {
  const place = placeOf(config)
  try {
    const plan: unknown = JSON.parse(place?.storage.getItem(place.key) ?? 'null')
    return isPlan(plan) ? plan : null
  } catch {
    return null
  }
}

export function dropOwnerPlan(config: LatchkeyConfig): void {
  const place = placeOf(config)
  place?.storage.removeItem(place.key)
}

function isPlan(value: unknown): value is OwnerPlan {
  if (typeof value !== 'object' || value === null) return false
  const { address, type, chains, keep, allowSinglePasskey, passkey } = value as Partial<OwnerPlan>
  return (
    isAddress(address) &&
    accountTypes.some((known) => known === type) &&
    Array.isArray(chains) &&
    chains.every(Number.isSafeInteger) &&
    (keep === 'all' || (Array.isArray(keep) && keep.every(isAddress))) &&
    typeof allowSinglePasskey === 'boolean' &&
    typeof passkey?.id === 'string' &&
    isHex(passkey.publicKey)
  )
}
