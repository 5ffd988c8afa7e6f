import { ServerError } from '../../http/ServerError.ts'
import type { KeyEncryption } from '../../keys/keyEncryption.ts'
import { sealSecret, withSecret } from './sealSecret.ts'

const version = 1
const keyBytes = 32

type AccountIdentity = { orgId: string; id: string /** EIP-55. */; address: string }

/** Columns of `wallet_accounts` that hold a derived private key, together with the address it is for. */
export type SealedAccountKey = { sealed_key: Uint8Array; wrapped_key: Uint8Array; key_version: number }

/** Seals the private key of an account, so that signing need not derive it each time. The caller wipes the key. */
export async function sealAccountKey(
  keyEncryption: KeyEncryption,
  { orgId, id, address }: AccountIdentity,
  key: Uint8Array,
): Promise<SealedAccountKey> {
  const secret = Buffer.concat([key, Buffer.from(address)])
  try {
    const { sealed, wrappedKey } = await sealSecret(
      keyEncryption,
      { table: 'wallet_accounts', orgId, id, version },
      secret,
    )
    return { sealed_key: sealed, wrapped_key: wrappedKey, key_version: version }
  } finally {
    secret.fill(0)
  }
}

/**
 * Opens the private key of an account, hands it to `use` and wipes it.
 *
 * @throws ServerError `INTERNAL` when it is not the key of the address: the column is not sealed, and a key that is not
 * the one asked for is never used
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
