import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import { custodyError } from '../custodyError.ts'
import { readOnlySessionMs } from '../custodyLimits.ts'
import type { CustodyContext } from '../deps.ts'
import { isTrusted } from '../macs.ts'
import { findOrganization, type Organization } from '../organizations/organization.ts'
import { type Caller, readScope } from './findCaller.ts'

/** Header that carries a read-only session instead of a stamp (custody protocol § 1). */
export const readOnlySessionHeader = 'X-Session'

const form = /^readonly\.([0-9a-f-]{36})\.(\d{10,12})\.([0-9a-f-]{36})\.([\w-]{43})$/

export declare namespace createReadOnlySession {
  type Parameters = { activityId: string; caller: Pick<Caller, 'credentialId' | 'expiresAt'> }
  type ReturnType = { session: string; expirySeconds: number }
}

/**
 * Creates a token with the caller's read access. The token contains the caller's credential, is authenticated by one of
 * custody's keys, and is not stored. It expires with the credential, or after 15 minutes.
 */
export function createReadOnlySession(
  context: Pick<CustodyContext, 'macKey' | 'now'>,
  { activityId, caller }: createReadOnlySession.Parameters,
): createReadOnlySession.ReturnType {
  const end = Math.min(context.now() + readOnlySessionMs, caller.expiresAt?.getTime() ?? Number.POSITIVE_INFINITY)
  const expirySeconds = Math.floor(end / 1000)
  const claims = `readonly.${caller.credentialId}.${expirySeconds}.${activityId}`
  return { session: `${claims}.${authenticate(context, claims).toString('base64url')}`, expirySeconds }
}

export declare namespace findReader {
  type Parameters = { session: string; organization: Organization }
}

/**
 * Returns the caller of a read-only token. The token counts neither as a sign-in nor as the use of an e-mailed link,
 * since it changes nothing.
 * @throws `SIGNATURE_INVALID`, `API_KEY_EXPIRED`, `CREDENTIAL_NOT_FOUND`, `REQUEST_NOT_AUTHORIZED`.
 */
export async function findReader(
  context: CustodyContext,
  { session, organization }: findReader.Parameters,
): Promise<Caller> {
  const at = new Date(context.now())
  const { credentialId, expiresAt } = readToken(context, session)
  if (expiresAt <= at) throw custodyError('API_KEY_EXPIRED', 'This read-only session has expired. Make another.')
  const row = await context.db.selectFrom('credentials').selectAll().where('id', '=', credentialId).executeTakeFirst()
  if (!row || !isTrusted(context, 'credentials', row) || row.revoked_at !== null)
    throw custodyError('CREDENTIAL_NOT_FOUND', 'What this read-only session was made by was revoked. Sign in again.')
  if (row.expires_at && row.expires_at <= at)
    throw custodyError('API_KEY_EXPIRED', 'What this read-only session was made by has expired. Sign in again.')
  const own = row.org_id === organization.id ? organization : await findOrganization(context, row.org_id)
  if (organization.id !== own.id && organization.id !== own.parentId)
    throw custodyError('REQUEST_NOT_AUTHORIZED', 'This read-only session is of another organization.')
  return {
    credentialId: row.id,
    userId: row.user_id,
    orgId: own.id,
    rootOrgId: own.parentId ?? own.id,
    kind: row.kind,
    type: row.type,
    publicKey: row.public_key,
    emailSession: false,
    userVerified: false,
    confirmedAt: row.confirmed_at,
    scope: readScope(row),
    expiresAt,
    at,
    authenticatedAt: null,
    signCount: 0,
  }
}

function readToken(context: Pick<CustodyContext, 'macKey'>, session: string) {
  const [, credentialId = '', seconds = '', activityId = '', mac = ''] = form.exec(session) ?? []
  const expected = authenticate(context, `readonly.${credentialId}.${seconds}.${activityId}`)
  const given = Buffer.from(mac, 'base64url')
  if (given.length !== expected.length || !timingSafeEqual(given, expected))
    throw custodyError(
      'SIGNATURE_INVALID',
      'This is no read-only session of this server. Make one, or stamp the request.',
    )
  return { credentialId, expiresAt: new Date(Number(seconds) * 1000) }
}

/** Authenticates with a separate key, so that a row's MAC is never a valid token. */
function authenticate({ macKey }: Pick<CustodyContext, 'macKey'>, claims: string): Buffer {
  const key = Buffer.from(hkdfSync('sha256', macKey, '', 'latchkey read-only session', 32))
  return createHmac('sha256', key).update(claims, 'utf8').digest()
}
