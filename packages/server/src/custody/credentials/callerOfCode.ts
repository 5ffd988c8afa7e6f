import type { CustodyContext } from '../deps.ts'
import { isGenuine } from '../macs.ts'
import type { Organization } from '../organizations/organization.ts'
import { type Caller, readScope } from './findCaller.ts'
import { codeExpired } from './mailCodes.ts'

export declare namespace callerOfCode {
  type Parameters = {
    /** Credential that the code acts as: the session key of its e-mail, or the key that requested it. */
    credentialId: string | null
    organization: Pick<Organization, 'id' | 'parentId'>
    at: Date
  }
}

/**
 * Returns the caller of a request without a stamp whose code was correct.
 * @throws `OTP_EXPIRED` if the code's credential was revoked.
 */
export async function callerOfCode(
  { db, macKey }: Pick<CustodyContext, 'db' | 'macKey'>,
  { credentialId, organization, at }: callerOfCode.Parameters,
): Promise<Caller> {
  const key = await db
    .selectFrom('credentials')
    .selectAll()
    .where('id', '=', credentialId)
    .where('org_id', '=', organization.id)
    .where('revoked_at', 'is', null)
    .executeTakeFirst()
  if (!key || !isGenuine(macKey, 'credentials', key)) throw codeExpired()
  return {
    credentialId: key.id,
    userId: key.user_id,
    orgId: key.org_id,
    rootOrgId: organization.parentId ?? organization.id,
    kind: key.kind,
    type: key.type,
    publicKey: key.public_key,
    emailSession: key.email_session,
    userVerified: false,
    confirmedAt: key.confirmed_at,
    scope: readScope(key),
    expiresAt: key.expires_at,
    at,
    authenticatedAt: at,
    signCount: 0,
  }
}
