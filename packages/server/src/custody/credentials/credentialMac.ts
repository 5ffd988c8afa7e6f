import type { Selectable } from 'kysely'
import type { CredentialTable } from '../../store/tables.ts'
import { isSameMac, rowMac } from '../rowMac.ts'

/** The members of a credential that decide who may do what and for how long. */
export type CredentialIdentity = Omit<Selectable<CredentialTable>, 'mac' | 'name' | 'transports' | 'aaguid'>

/** MAC of a credential: all of it but its name, transports and model, which nothing is decided by. */
export function credentialMac(macKey: Uint8Array, credential: CredentialIdentity): Uint8Array {
  return rowMac(macKey, 'credentials', [
    credential.id,
    credential.user_id,
    credential.org_id,
    credential.kind,
    credential.type,
    credential.public_key,
    credential.credential_id,
    credential.rp_id,
    credential.email_session,
    credential.authenticated_at,
    credential.expires_at,
    credential.revoked_at,
    credential.created_at,
    String(credential.counter),
  ])
}

/** Whether custody itself wrote the row. */
export function isGenuine(macKey: Uint8Array, credential: CredentialIdentity & { mac: Uint8Array }): boolean {
  return isSameMac(credentialMac(macKey, credential), credential.mac)
}
