import { randomBytes } from 'node:crypto'
import type { KeyEncryption } from '../../keys/keyEncryption.ts'
import { open, seal } from '../../keys/seal.ts'

/** Binds sealed entropy and its data key to one wallet of one organization. */
export type WalletIdentity = { orgId: string; walletId: string; version: number }

export type SealedEntropy = { sealedEntropy: Uint8Array; wrappedKey: Uint8Array }

/**
 * Seals entropy under a fresh data key (AES-256-GCM) and has the data key wrapped; both are bound to
 * organization | wallet | version. The caller wipes the entropy.
 */
export async function sealEntropy(
  keyEncryption: KeyEncryption,
  identity: WalletIdentity,
  entropy: Uint8Array,
): Promise<SealedEntropy> {
  const aad = walletAad(identity)
  const dek = randomBytes(32)
  try {
    const sealedEntropy = seal(dek, entropy, aad)
    return { sealedEntropy, wrappedKey: await keyEncryption.wrap(dek, aad) }
  } finally {
    dek.fill(0)
  }
}

/** Opens what {@link sealEntropy} sealed. The caller wipes the entropy. */
export async function openEntropy(
  keyEncryption: KeyEncryption,
  identity: WalletIdentity,
  sealed: SealedEntropy,
): Promise<Uint8Array> {
  const aad = walletAad(identity)
  const dek = await keyEncryption.unwrap(sealed.wrappedKey, aad)
  try {
    return open(dek, sealed.sealedEntropy, aad)
  } finally {
    dek.fill(0)
  }
}

function walletAad({ orgId, walletId, version }: WalletIdentity): Uint8Array {
  return new TextEncoder().encode(`${orgId}|${walletId}|${version}`)
}
