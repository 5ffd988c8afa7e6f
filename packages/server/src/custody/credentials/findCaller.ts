import type { Selectable } from 'kysely'
import { listAllowedOrigins } from '../../store/projects/listAllowedOrigins.ts'
import type { CredentialTable } from '../../store/tables.ts'
import { custodyError } from '../custodyError.ts'
import type { CustodyContext } from '../deps.ts'
import type { verifyStamp } from '../stamps/verifyStamp.ts'
import { verifyAssertion } from '../webauthn/verifyAssertion.ts'
import { isGenuine } from './credentialMac.ts'

/** Who stamped a request. */
export type Caller = {
  credentialId: string
  userId: string
  orgId: string
  emailSession: boolean
  /** Counter of the passkey's assertion, for `advanceCounter`; 0 for API keys and passkeys that do not count. */
  signCount: number
}
type Stamp = verifyStamp.ReturnType

/**
 * Finds the user a stamp's credential belongs to, in the target organization, else in its parent (custody protocol
 * § 2.5), and verifies what the credential signed. The counter of a passkey is left to `advanceCounter`.
 *
 * @throws ServerError `PUBLIC_KEY_NOT_FOUND` | `CREDENTIAL_NOT_FOUND` | `API_KEY_EXPIRED` | `SIGNATURE_INVALID` (401)
 */
export async function findCaller(context: CustodyContext, parameters: findCaller.Parameters): Promise<Caller> {
  const { stamp, organization } = parameters
  const orgIds = organization.parentId ? [organization.id, organization.parentId] : [organization.id]
  const rows = await selectCredentials(context, stamp).where('credentials.org_id', 'in', orgIds).execute()
  const genuine = rows.filter((row) => checkGenuine(context, row))
  const row = genuine.find((candidate) => candidate.org_id === organization.id) ?? genuine[0]
  if (row) return toCaller(context, stamp, row)
  if (stamp.kind === 'passkey')
    throw custodyError('CREDENTIAL_NOT_FOUND', 'could not find passkey in organization or its parent organization')
  throw custodyError('PUBLIC_KEY_NOT_FOUND', 'could not find public key in organization or its parent organization')
}

export declare namespace findCaller {
  type Parameters = { stamp: Stamp; organization: { id: string; parentId: string | null } }
}

/**
 * Finds the user a stamp's credential belongs to among the sub-organizations of a parent: there must be one only.
 * Undefined when there is none.
 *
 * @throws ServerError `CREDENTIAL_CONFLICT` | `CREDENTIAL_NOT_FOUND` | `API_KEY_EXPIRED` | `SIGNATURE_INVALID` (401)
 */
export async function findCallerBelow(
  context: CustodyContext,
  { stamp, parentId }: { stamp: Stamp; parentId: string },
): Promise<Caller | undefined> {
  const rows = await selectCredentials(context, stamp)
    .innerJoin('organizations', 'organizations.id', 'credentials.org_id')
    .where('organizations.parent_id', '=', parentId)
    .limit(3)
    .execute()
  const genuine = rows.filter((row) => checkGenuine(context, row))
  if (genuine.length > 1) throw custodyError('CREDENTIAL_CONFLICT', 'more than one suborg associated with a public key')
  return genuine[0] && toCaller(context, stamp, genuine[0])
}

function selectCredentials({ db }: CustodyContext, stamp: Stamp) {
  const rows = db.selectFrom('credentials').selectAll('credentials').where('kind', '=', stamp.kind)
  return stamp.kind === 'passkey'
    ? rows.where('credential_id', '=', stamp.assertion.credentialId)
    : rows.where('public_key', '=', stamp.publicKey)
}

/** Whether custody wrote the row; a forged one is logged and then treated as absent. */
function checkGenuine(context: CustodyContext, row: Selectable<CredentialTable>): boolean {
  if (isGenuine(context.macKey, row)) return true
  context.logger.error({ credentialId: row.id }, 'A credential was not written by custody and is ignored')
  return false
}

async function toCaller(context: CustodyContext, stamp: Stamp, row: Selectable<CredentialTable>): Promise<Caller> {
  const name = stamp.kind === 'passkey' ? 'passkey' : 'API key'
  if (row.revoked_at) throw custodyError('CREDENTIAL_NOT_FOUND', `This ${name} was revoked. Sign in again.`)
  if (row.expires_at && row.expires_at.getTime() <= context.now())
    throw custodyError('API_KEY_EXPIRED', `This ${name} has expired. Sign in again.`)
  const signCount = stamp.kind === 'passkey' ? await verifyPasskey(context, stamp, row) : 0
  return {
    credentialId: row.id,
    userId: row.user_id,
    orgId: row.org_id,
    emailSession: row.email_session,
    signCount,
  }
}

async function verifyPasskey(
  context: CustodyContext,
  stamp: Extract<Stamp, { kind: 'passkey' }>,
  row: Selectable<CredentialTable>,
): Promise<number> {
  const verified = verifyAssertion({
    assertion: stamp.assertion,
    challenge: stamp.challenge,
    allowedOrigins: await listAllowedOrigins(context.db),
    credential: { publicKey: row.public_key, rpId: row.rp_id ?? '' },
  })
  if (verified.problem !== undefined) throw custodyError('SIGNATURE_INVALID', verified.problem)
  return verified.signCount
}
