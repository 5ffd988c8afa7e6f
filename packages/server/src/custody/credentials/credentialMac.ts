import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Selectable } from 'kysely'
import type { CredentialTable } from '../../store/tables.ts'

/** The members of a credential that decide who may do what and for how long. */
export type CredentialIdentity = Pick<
  Selectable<CredentialTable>,
  'id' | 'user_id' | 'org_id' | 'kind' | 'public_key' | 'credential_id' | 'rp_id' | 'email_session' | 'expires_at'
>

/** HMAC-SHA-256 over a credential's identity: whoever can only write to the database cannot make one. */
export function credentialMac(macKey: Uint8Array, credential: CredentialIdentity): Uint8Array {
  const identity = JSON.stringify([
    credential.id,
    credential.user_id,
    credential.org_id,
    credential.kind,
    credential.public_key,
    credential.credential_id,
    credential.rp_id,
    credential.email_session,
    credential.expires_at?.getTime() ?? null,
  ])
  return createHmac('sha256', macKey).update(identity, 'utf8').digest()
}

/** Whether custody itself wrote the row. */
export function isGenuine(macKey: Uint8Array, credential: CredentialIdentity & { mac: Uint8Array }): boolean {
  const expected = credentialMac(macKey, credential)
  return expected.length === credential.mac.length && timingSafeEqual(expected, credential.mac)
}
