import { type Selectable, sql } from 'kysely'
import type { KeyScope } from 'latchkey-protocol'
import { namedQuery } from '../../platform/database/namedQuery.ts'
import type { Db } from '../../platform/database/openStore.ts'
import type { CredentialTable, CredentialType, OrganizationTable } from '../../platform/database/organizationTables.ts'
import { verifyAssertion } from '../../webauthn/verifyAssertion.ts'
import { custodyError } from '../custodyError.ts'
import type { CustodyContext } from '../deps.ts'
import { isTrusted } from '../macs.ts'
import { assertOrganizationId, type Organization, toOrganization } from '../organizations/organization.ts'
import { trustedOrigins } from '../organizations/trustedProjects.ts'
import type { Curve } from '../stamps/verifyApiKeyStamp.ts'
import type { verifyStamp } from '../stamps/verifyStamp.ts'
import { openLink, unopenedUntil } from './mailCodes.ts'
import { noteUse } from './noteUse.ts'

export type ApiKeyLookUp = { organizationId: string; publicKey: string; curve: Curve }

/**
 * An organization with one of its own or its parent's credentials. Without a credential, the credential's members are
 * null.
 */
export type AdmitRow = Selectable<CredentialTable> & {
  unopened_until: Date | null
  organization_id: string
  parent_id: string | null
  organization_name: string
  root_quorum_threshold: number
  deleted_at: Date | null
  frozen_at: Date | null
  spending_rules: string | null
  organization_mac: Uint8Array
  organization_created_at: Date
}

export declare namespace admit {
  /** `findApiKey` looks API keys up in batches. */
  type Context = CustodyContext & { findApiKey(lookUp: ApiKeyLookUp): Promise<AdmitRow[]> }
  type Parameters = {
    stamp: verifyStamp.ReturnType
    organizationId: string
    /** Time the request was received. @default now */
    at?: Date | undefined
  }
  type ReturnType = { organization: Organization; caller: Caller }
}

/**
 * Returns a request's organization and the credential that stamped the request, in one round trip. @throws
 * `INVALID_ORGANIZATION_ID`, `ORGANIZATION_NOT_FOUND`, `PUBLIC_KEY_NOT_FOUND`, `CREDENTIAL_NOT_FOUND`,
 * `API_KEY_EXPIRED`, `SIGNATURE_INVALID`.
 */
export async function admit(context: admit.Context, parameters: admit.Parameters): Promise<admit.ReturnType> {
  const { stamp, organizationId, at } = parameters
  assertOrganizationId(organizationId)
  const rows =
    stamp.kind === 'passkey'
      ? await selectPasskey(context.db, organizationId, stamp.assertion.credentialId)
      : await context.findApiKey({ organizationId, publicKey: stamp.publicKey, curve: stamp.curve })
  const organization = toOrganization(context, organizationId, rows[0] && readOrganization(rows[0]))
  const credentials = rows.filter((row) => row.id !== null)
  const caller = await chooseCaller(context, { stamp, organization, rows: credentials, at })
  await noteUse(context, caller, credentials)
  return { organization, caller }
}

const columns = sql`o.id as organization_id, o.parent_id, o.name as organization_name, o.root_quorum_threshold,
  o.deleted_at, o.frozen_at, o.spending_rules, o.mac as organization_mac, o.created_at as organization_created_at,
  c.id, c.user_id, c.org_id, c.kind, c.name, c.public_key, c.credential_id, c.rp_id, c.transports, c.aaguid, c.counter, c.confirmed_at, c.scope,
  c.email_session, c.type, c.authenticated_at, c.expires_at, c.last_used_at, c.revoked_at, c.mac, c.created_at,
  ${unopenedUntil} as unopened_until`

/** Selects the rows of each organization and API key in one batch. */
export async function selectApiKeys(db: Db, keys: readonly ApiKeyLookUp[]): Promise<AdmitRow[][]> {
  const query = sql<AdmitRow & { place: string }>`select key.place, ${columns}
    from unnest(${keys.map((key) => key.organizationId)}::uuid[], ${keys.map((key) => key.publicKey)}::text[],
      ${keys.map((key) => key.curve === 'secp256k1')}::boolean[])
      with ordinality as key (org_id, public_key, is_secp256k1, place)
    join organizations o on o.id = key.org_id
    left join credentials c on c.org_id in (o.id, o.parent_id) and c.kind = 'api_key' and c.public_key = key.public_key
      and (c.type = 'CREDENTIAL_TYPE_API_KEY_SECP256K1') = key.is_secp256k1`
  const { rows } = await namedQuery(db, 'admit_api_keys', query)
  const found: AdmitRow[][] = keys.map(() => [])
  for (const row of rows) found[Number(row.place) - 1]?.push(row)
  return found
}

async function selectPasskey(db: Db, organizationId: string, credentialId: string): Promise<readonly AdmitRow[]> {
  const query = sql<AdmitRow>`select ${columns} from organizations o
    left join credentials c on c.org_id in (o.id, o.parent_id) and c.kind = 'passkey' and c.credential_id = ${credentialId}
    where o.id = ${organizationId}`
  return (await namedQuery(db, 'admit_passkey', query)).rows
}

function readOrganization(row: AdmitRow): Omit<Selectable<OrganizationTable>, 'destroyed_at'> {
  return {
    id: row.organization_id,
    parent_id: row.parent_id,
    name: row.organization_name,
    root_quorum_threshold: row.root_quorum_threshold,
    deleted_at: row.deleted_at,
    frozen_at: row.frozen_at,
    spending_rules: row.spending_rules,
    mac: row.organization_mac,
    created_at: row.organization_created_at,
  }
}

/** User and credential that stamped a request. */
export type Caller = {
  credentialId: string
  userId: string
  orgId: string
  /** Parent organization of `orgId`, or `orgId` itself if it has no parent. */
  rootOrgId: string
  kind: 'api_key' | 'passkey'
  type: CredentialType
  /** Compressed SEC1 hex, or COSE hex of a passkey. */
  publicKey: string
  emailSession: boolean
  /** Whether the passkey verified its user (flag UV) for this request. False for API keys. */
  userVerified: boolean
  /** Time at which the user confirmed the passkey by email; null for unconfirmed passkeys and for API keys. */
  confirmedAt: Date | null
  /** Limits of an API key; null if it may do everything that its user may do. */
  scope: KeyScope | null
  /** Null for credentials without expiry. */
  expiresAt: Date | null
  /** Time the request was received. */
  at: Date
  /**
   * Time at which the user last proved their presence. For a passkey with user verification, this is now; for a
   * session, the start of this session or of the session that created it. Null for keys used by programs.
   */
  authenticatedAt: Date | null
  /** Counter of the passkey's assertion, for `advanceCounter`; 0 for API keys and for passkeys without a counter. */
  signCount: number
}
type Stamp = verifyStamp.ReturnType
type Row = Selectable<CredentialTable> & { unopened_until: Date | null }

export declare namespace findCaller {
  type Parameters = {
    stamp: Stamp
    organization: { id: string; parentId: string | null }
    /** Time the request was received. @default now */
    at?: Date | undefined
  }
}

/**
 * Returns the user of a stamp's credential, looking first in the target organization, then in its parent (custody
 * protocol § 2.5). Verifies the credential's signature; `advanceCounter` checks the counter of a passkey.
 *
 * @throws `PUBLIC_KEY_NOT_FOUND`, `CREDENTIAL_NOT_FOUND`, `API_KEY_EXPIRED`, `SIGNATURE_INVALID`.
 */
export async function findCaller(context: CustodyContext, parameters: findCaller.Parameters): Promise<Caller> {
  const { stamp, organization } = parameters
  const orgIds = organization.parentId ? [organization.id, organization.parentId] : [organization.id]
  const rows = await selectCredentials(context, stamp).where('c.org_id', 'in', orgIds).execute()
  return chooseCaller(context, { ...parameters, rows })
}

/**
 * Chooses the caller among credentials of the two organizations that a query has already read (see {@link findCaller}).
 */
export async function chooseCaller(
  context: CustodyContext,
  { stamp, organization, rows, at }: findCaller.Parameters & { rows: readonly Row[] },
): Promise<Caller> {
  const rootOrgId = organization.parentId ?? organization.id
  const genuine = rows.filter(
    (row) => isTrusted(context, 'credentials', row) && checkConfigured(context, row, rootOrgId),
  )
  const row = genuine.find((candidate) => candidate.org_id === organization.id) ?? genuine[0]
  if (row) return toCaller(context, { stamp, row, rootOrgId, at: at ?? new Date(context.now()) })
  if (stamp.kind === 'passkey')
    throw custodyError('CREDENTIAL_NOT_FOUND', 'could not find passkey in organization or its parent organization')
  throw custodyError('PUBLIC_KEY_NOT_FOUND', 'could not find public key in organization or its parent organization')
}

export declare namespace findCallerBelow {
  type Parameters = { stamp: Stamp; parentId: string }
}

/**
 * Returns the user of a stamp's credential among the sub-organizations of a parent; undefined if there is none.
 * @throws `CREDENTIAL_CONFLICT` if there are several, `CREDENTIAL_NOT_FOUND`, `API_KEY_EXPIRED`, `SIGNATURE_INVALID`.
 */
export async function findCallerBelow(
  context: CustodyContext,
  { stamp, parentId }: findCallerBelow.Parameters,
): Promise<Caller | undefined> {
  const rows = await selectCredentials(context, stamp)
    .innerJoin('organizations', 'organizations.id', 'c.org_id')
    .where('organizations.parent_id', '=', parentId)
    .where((where) =>
      where.or([
        where('organizations.deleted_at', 'is', null),
        where('organizations.deleted_at', '>', new Date(context.now())),
      ]),
    )
    .select('organizations.deleted_at as deletionDueAt')
    .orderBy(sql`organizations.deleted_at nulls first`)
    .limit(3)
    .execute()
  const held = rows.filter((row) => isTrusted(context, 'credentials', row))
  const live = held.filter((row) => row.deletionDueAt === null)
  // Organizations that are not being deleted take precedence.
  const genuine = live.length > 0 ? live : held
  if (genuine.length > 1)
    throw custodyError(
      'CREDENTIAL_CONFLICT',
      `more than one suborg associated with a ${stamp.kind === 'passkey' ? 'credential ID' : 'public key'}`,
    )
  const [row] = genuine
  if (!row) return undefined
  const caller = await toCaller(context, { stamp, row, rootOrgId: parentId, at: new Date(context.now()) })
  await noteUse(context, caller, genuine)
  return caller
}

function selectCredentials({ db }: CustodyContext, stamp: Stamp) {
  const rows = db
    .selectFrom('credentials as c')
    .selectAll('c')
    .select(unopenedUntil.as('unopened_until'))
    .where('kind', '=', stamp.kind)
  if (stamp.kind === 'passkey') return rows.where('credential_id', '=', stamp.assertion.credentialId)
  return rows
    .where('public_key', '=', stamp.publicKey)
    .where('type', stamp.curve === 'secp256k1' ? '=' : '!=', 'CREDENTIAL_TYPE_API_KEY_SECP256K1')
}

/** Checks a parent's key against the configuration, so that a former key cannot be restored in the database. */
function checkConfigured({ rootApiPublicKey }: CustodyContext, row: Row, rootOrgId: string): boolean {
  return row.org_id !== rootOrgId || row.public_key === rootApiPublicKey.toLowerCase()
}

type Found = { stamp: Stamp; row: Row; rootOrgId: string; at: Date }

async function toCaller(context: CustodyContext, { stamp, row, rootOrgId, at }: Found): Promise<Caller> {
  const name = stamp.kind === 'passkey' ? 'passkey' : 'API key'
  if (row.revoked_at) throw custodyError('CREDENTIAL_NOT_FOUND', `This ${name} was revoked. Sign in again.`)
  if (row.expires_at && row.expires_at <= at)
    throw custodyError('API_KEY_EXPIRED', `This ${name} has expired. Sign in again.`)
  const { userVerified, signCount } =
    stamp.kind === 'passkey'
      ? await verifyPasskey(context, { stamp, row, rootOrgId })
      : { userVerified: false, signCount: 0 }
  if (row.unopened_until && row.unopened_until <= at)
    throw custodyError('API_KEY_EXPIRED', 'This link has expired. Ask for a new email.')
  if (row.unopened_until)
    await openLink(context, { orgId: row.org_id, userId: row.user_id, rootOrgId, credentialId: row.id })
  return {
    credentialId: row.id,
    userId: row.user_id,
    orgId: row.org_id,
    rootOrgId,
    kind: row.kind,
    type: row.type,
    publicKey: row.public_key,
    emailSession: row.email_session,
    userVerified,
    confirmedAt: row.confirmed_at,
    scope: readScope(row),
    expiresAt: row.expires_at,
    at,
    authenticatedAt: userVerified ? at : row.authenticated_at,
    signCount,
  }
}

export const readScope = ({ scope }: { scope: string | null }): KeyScope | null =>
  scope === null ? null : (JSON.parse(scope) as KeyScope)

async function verifyPasskey(
  context: CustodyContext,
  { stamp, row, rootOrgId }: { stamp: Extract<Stamp, { kind: 'passkey' }>; row: Row; rootOrgId: string },
): Promise<{ userVerified: boolean; signCount: number }> {
  const verified = verifyAssertion({
    assertion: stamp.assertion,
    challenge: stamp.challenge,
    allowedOrigins: trustedOrigins(context, rootOrgId),
    credential: { publicKey: row.public_key, rpId: row.rp_id ?? '' },
  })
  if (verified.problem !== undefined) throw custodyError('SIGNATURE_INVALID', verified.problem)
  return verified
}
