import { randomBytes } from 'node:crypto'
import type { KeyEncryption } from '../../keys/keyEncryption.ts'
import { open, seal } from '../../keys/seal.ts'
import { ServerError } from '../../platform/errors/ServerError.ts'

/** A row that stores a secret under its own data key. `version` increases when the data key changes. */
export type SecretIdentity = {
  table: 'wallets' | 'wallet_accounts' | 'private_keys' | 'import_targets' | 'multi_factors'
  orgId: string
  id: string
  version: number
}

export type SealedSecret = { sealed: Uint8Array; wrappedKey: Uint8Array }

/**
 * Seals a secret under a new data key (AES-256-GCM) and wraps the data key; both are bound to their row. The caller
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
 * Opens a secret sealed by {@link sealSecret}, passes it to `use` and wipes it.
 * @throws `INTERNAL` if row, secret and data key do not belong together.
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

/** Returns AAD that binds a secret and its data key to one row, so that neither can be opened in another row. */
export function secretAad({ table, orgId, id, version }: SecretIdentity): Uint8Array {
  const place = `${orgId}|${id}|${version}`
  return new TextEncoder().encode(table === 'wallets' ? place : `${table}|${place}`)
}

const accountKeyVersion = 1
const keyBytes = 32

/** `address`: EIP-55. */
type AccountIdentity = { orgId: string; id: string; address: string }

/** Columns of `wallet_accounts` with a derived private key, sealed together with its address. */
export type SealedAccountKey = { sealed_key: Uint8Array; wrapped_key: Uint8Array; key_version: number }

/** Seals the private key of an account, so that it need not be derived for each signature. The caller wipes the key. */
export async function sealAccountKey(
  keyEncryption: KeyEncryption,
  { orgId, id, address }: AccountIdentity,
  key: Uint8Array,
): Promise<SealedAccountKey> {
  const secret = Buffer.concat([key, Buffer.from(address)])
  try {
    const identity = { table: 'wallet_accounts', orgId, id, version: accountKeyVersion } as const
    const { sealed, wrappedKey } = await sealSecret(keyEncryption, identity, secret)
    return { sealed_key: sealed, wrapped_key: wrappedKey, key_version: accountKeyVersion }
  } finally {
    secret.fill(0)
  }
}

/**
 * Opens the private key of an account, passes it to `use` and wipes it. The address column is not sealed, so a key that
 * was sealed with another address is never used.
 * @throws `INTERNAL` for a key of another address.
 */
export function openAccountKey<result>(
  keyEncryption: KeyEncryption,
  { orgId, id, address }: AccountIdentity,
  { sealed_key: sealed, wrapped_key: wrappedKey, key_version }: SealedAccountKey,
  use: (key: Uint8Array) => Promise<result> | result,
): Promise<result> {
  const identity = { table: 'wallet_accounts', orgId, id, version: key_version } as const
  return withSecret(keyEncryption, identity, { sealed, wrappedKey }, (secret) => {
    if (!Buffer.from(address).equals(secret.subarray(keyBytes)))
      throw new ServerError('The stored address does not belong to its key. It was not used.', {
        code: 'INTERNAL',
        status: 500,
      })
    return use(secret.subarray(0, keyBytes))
  })
}
