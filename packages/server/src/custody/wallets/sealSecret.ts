import { randomBytes } from 'node:crypto'
import type { KeyEncryption } from '../../keys/keyEncryption.ts'
import { open, seal } from '../../keys/seal.ts'

/** A row that stores a secret under its own data key. `version` grows when the data key changes. */
export type SecretIdentity = {
  table: 'wallets' | 'wallet_accounts' | 'private_keys' | 'import_targets'
  orgId: string
  id: string
  version: number
}

export type SealedSecret = { sealed: Uint8Array; wrappedKey: Uint8Array }

/**
 * Seals a secret under a fresh data key (AES-256-GCM) and wraps the data key; both are bound to their row. The caller
 * wipes the secret.
 */
export async function sealSecret(
  keyEncryption: KeyEncryption,
  identity: SecretIdentity,
  secret: Uint8Array,
): Promise<SealedSecret> {
  const aad = secretAad(identity)
  const dek = randomBytes(32)
  try {
    return { sealed: seal(dek, secret, aad), wrappedKey: await keyEncryption.wrap(dek, aad) }
  } finally {
    dek.fill(0)
  }
}

/**
 * Opens what {@link sealSecret} sealed, passes it to `use` and wipes it.
 *
 * @throws `INTERNAL` when row, secret and data key do not belong together.
 */
export async function withSecret<result>(
  keyEncryption: KeyEncryption,
  identity: SecretIdentity,
  { sealed, wrappedKey }: SealedSecret,
  use: (secret: Uint8Array) => Promise<result> | result,
): Promise<result> {
  const aad = secretAad(identity)
  const dek = await keyEncryption.unwrap(wrappedKey, aad)
  const secret = openAndWipe(dek, sealed, aad)
  try {
    return await use(secret)
  } finally {
    secret.fill(0)
  }
}

function openAndWipe(dek: Uint8Array, sealed: Uint8Array, aad: Uint8Array): Uint8Array {
  try {
    return open(dek, sealed, aad)
  } finally {
    dek.fill(0)
  }
}

/** Returns AAD that binds a secret and its data key to one row: moved to another row, neither can be opened. */
export function secretAad({ table, orgId, id, version }: SecretIdentity): Uint8Array {
  const place = `${orgId}|${id}|${version}`
  return new TextEncoder().encode(table === 'wallets' ? place : `${table}|${place}`)
}
