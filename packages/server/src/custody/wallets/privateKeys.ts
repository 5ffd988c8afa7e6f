import { randomUUID } from 'node:crypto'
import type { Address } from 'viem'
import type { KeyEncryption } from '../../keys/keyEncryption.ts'
import type { Db } from '../../platform/database/openStore.ts'
import { ServerError } from '../../platform/errors/ServerError.ts'
import { custodyError } from '../custodyError.ts'
import { mac } from '../macs.ts'
import type { Sealer } from './accounts.ts'
import { assertCapacity } from './assertCapacity.ts'
import { ethereumAddress } from './ethereumKey.ts'
import { sealSecret, withSecret } from './sealSecret.ts'

const version = 1

export declare namespace storePrivateKey {
  type Parameters = { orgId: string; name: string; privateKey: Uint8Array }
  type ReturnType = { privateKeyId: string; address: Address }
}

/**
 * Stores a secp256k1 private key (32 bytes), which the caller wipes.
 *
 * @throws `REQUEST_INVALID` if the organization already has the key.
 */
export async function storePrivateKey(
  db: Db,
  context: Sealer,
  { orgId, name, privateKey }: storePrivateKey.Parameters,
): Promise<storePrivateKey.ReturnType> {
  await assertCapacity(db, { table: 'private_keys', orgId })
  const id = randomUUID()
  const { address, publicKey } = ethereumAddress(privateKey)
  const identity = { table: 'private_keys', orgId, id, version } as const
  const { sealed, wrappedKey } = await sealSecret(context.keyEncryption, identity, privateKey)
  const row = { id, org_id: orgId, name, address, public_key: publicKey }
  const inserted = await db
    .insertInto('private_keys')
    .values({
      ...row,
      sealed_key: sealed,
      wrapped_key: wrappedKey,
      key_version: version,
      mac: mac(context.macKey, 'private_keys', row),
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
  if (!inserted) throw custodyError('REQUEST_INVALID', 'This organization holds this private key already.')
  return { privateKeyId: id, address }
}

/**
 * Opens one of an organization's own private keys, passes it to `use` and wipes it. The address column is not sealed,
 * so a key whose address differs from the stored one is never used.
 * @throws `NOT_FOUND`, `INTERNAL`.
 */
export async function withPrivateKey<result>(
  db: Db,
  keyEncryption: KeyEncryption,
  { orgId, privateKeyId }: { orgId: string; privateKeyId: string },
  use: (key: Uint8Array, address: Address) => Promise<result> | result,
): Promise<result> {
  const row = await db
    .selectFrom('private_keys')
    .select(['sealed_key as sealed', 'wrapped_key as wrappedKey', 'key_version as version', 'address'])
    .where('id', '=', privateKeyId)
    .where('org_id', '=', orgId)
    .executeTakeFirst()
  if (!row) throw custodyError('NOT_FOUND', `Could not find private key with id ${privateKeyId}`)
  const identity = { table: 'private_keys', orgId, id: privateKeyId.toLowerCase(), version: row.version } as const
  return withSecret(keyEncryption, identity, row, (key) => {
    const { address } = ethereumAddress(key)
    if (address !== row.address)
      throw new ServerError('The stored address does not belong to its key. It was not used.', {
        code: 'INTERNAL',
        status: 500,
      })
    return use(key, address)
  })
}
