import { type Hex, isHex } from 'viem'
import { readPoint } from '../../accounts/owners/passkeyPoint.ts'
import type { AccountOwner } from '../../accounts/owners/types.ts'
import type { LatchkeyConfig } from '../store/types.ts'

/** Passkey that this browser added as an owner. Contains no secret. */
type OwnerPasskey = { id: string; publicKey: Hex }

const placeOf = ({ _internal: { page, storageKey } }: LatchkeyConfig) =>
  page && { storage: page.storage('localStorage'), key: `${storageKey}:owner-passkeys` }

const limit = 20

export function rememberPasskey(config: LatchkeyConfig, { id, publicKey }: OwnerPasskey): void {
  const place = placeOf(config)
  const others = readPasskeys(config).filter((known) => known.id !== id)
  place?.storage.setItem(place.key, JSON.stringify([{ id, publicKey }, ...others].slice(0, limit)))
}

/** Adds the ids of the passkeys that this browser knows. The chain contains only their public keys. */
export function addCredentialIds(config: LatchkeyConfig, owners: readonly AccountOwner[]): readonly AccountOwner[] {
  const known = readPasskeys(config)
  return owners.map((owner) => {
    const { passkey } = owner
    if (!passkey) return owner
    const found = known.find(({ publicKey }) => {
      const { x, y } = readPoint({ publicKey })
      return x === passkey.x && y === passkey.y
    })
    return found ? { ...owner, credentialId: found.id } : owner
  })
}

function readPasskeys(config: LatchkeyConfig): OwnerPasskey[] {
  const place = placeOf(config)
  try {
    const stored: unknown = JSON.parse(place?.storage.getItem(place.key) ?? '[]')
    return Array.isArray(stored) ? stored.filter(isPasskey) : []
  } catch {
    return []
  }
}

function isPasskey(value: unknown): value is OwnerPasskey {
  const { id, publicKey } = Object(value) as Partial<OwnerPasskey>
  return (
    typeof id === 'string' && /^[\w-]+$/.test(id) && isHex(publicKey) && /^0x(?:04)?[0-9a-f]{128}$/i.test(publicKey)
  )
}
