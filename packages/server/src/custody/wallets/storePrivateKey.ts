import { randomUUID } from 'node:crypto'
import type { Address } from 'viem'
import type { Db } from '../../store/openStore.ts'
import { custodyError } from '../custodyError.ts'
import { mac } from '../macs.ts'
import type { Sealer } from './addAccounts.ts'
import { ethereumAddress } from './ethereumAddress.ts'
import { sealSecret } from './sealSecret.ts'

const version = 1

/**
 * Keeps a secp256k1 private key (32 bytes), which the caller wipes.
 *
 * @throws ServerError `REQUEST_INVALID` (400) when the organization holds it already
 */
export async function storePrivateKey(
  db: Db,
  context: Sealer,
  { orgId, name, privateKey }: storePrivateKey.Parameters,
): Promise<storePrivateKey.ReturnType> {
  const id = randomUUID()
  const { address, publicKey } = ethereumAddress(privateKey)
  const { sealed, wrappedKey } = await sealSecret(
    context.keyEncryption,
    { table: 'private_keys', orgId, id, version },
    privateKey,
  )
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

export declare namespace storePrivateKey {
  type Parameters = { orgId: string; name: string; privateKey: Uint8Array }
  type ReturnType = { privateKeyId: string; address: Address }
}
