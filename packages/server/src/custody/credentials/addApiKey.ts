import { randomUUID } from 'node:crypto'
import type { Db } from '../../store/openStore.ts'
import { type CredentialIdentity, credentialMac } from './credentialMac.ts'

/** Gives a user an API key and answers the credential's id. */
export async function addApiKey(db: Db, macKey: Uint8Array, parameters: addApiKey.Parameters): Promise<string> {
  const identity: CredentialIdentity = {
    id: randomUUID(),
    user_id: parameters.userId,
    org_id: parameters.orgId,
    kind: 'api_key',
    public_key: parameters.publicKey,
    credential_id: null,
    rp_id: null,
    email_session: parameters.emailSession ?? false,
    expires_at: parameters.expiresAt ?? null,
  }
  await db
    .insertInto('credentials')
    .values({ ...identity, name: parameters.name, mac: credentialMac(macKey, identity) })
    .execute()
  return identity.id
}

export declare namespace addApiKey {
  type Parameters = {
    userId: string
    orgId: string
    name: string
    /** Compressed P-256 point, lower-case hex. */
    publicKey: string
    emailSession?: boolean | undefined
    /** Never expires when left out. */
    expiresAt?: Date | undefined
  }
}
