import type { Selectable } from 'kysely'
import type { CredentialTable } from '../../store/tables.ts'
import { toTimestamp } from '../toTimestamp.ts'

/**
 * The Authenticator object of custody protocol § 2.7. Its public key is COSE in hex. Attestations are not asked for, so
 * the AAGUID is only what the authenticator says (zeros of one that does not), and no model is told.
 */
export function toAuthenticator(row: Selectable<CredentialTable>) {
  return {
    authenticatorId: row.id,
    authenticatorName: row.name,
    transports: row.transports ?? [],
    attestationType: 'none',
    aaguid: row.aaguid ?? '',
    credentialId: row.credential_id ?? '',
    model: '',
    credential: { publicKey: row.public_key, type: row.type },
    createdAt: toTimestamp(row.created_at),
    updatedAt: toTimestamp(row.created_at),
  }
}
