import type { Selectable } from 'kysely'
import type { CredentialTable } from '../../store/tables.ts'
import { toTimestamp } from '../toTimestamp.ts'

/** The ApiKey object of custody protocol § 2.7. `expirationSeconds`: its whole life, of a key that ends. */
export function toApiKey(row: Selectable<CredentialTable>) {
  const lifeMs = row.expires_at && row.expires_at.getTime() - row.created_at.getTime()
  return {
    apiKeyId: row.id,
    apiKeyName: row.name,
    credential: { publicKey: row.public_key, type: row.type },
    createdAt: toTimestamp(row.created_at),
    updatedAt: toTimestamp(row.created_at),
    ...(lifeMs !== null && { expirationSeconds: String(Math.round(lifeMs / 1000)) }),
  }
}
