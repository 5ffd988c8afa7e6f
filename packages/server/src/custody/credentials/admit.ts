import { type Selectable, sql } from 'kysely'
import { namedQuery } from '../../platform/database/namedQuery.ts'
import type { Db } from '../../platform/database/openStore.ts'
import type { CredentialTable, OrganizationTable } from '../../platform/database/tables.ts'
import type { CustodyContext } from '../deps.ts'
import { assertOrganizationId, type Organization, toOrganization } from '../organizations/organization.ts'
import type { Curve } from '../stamps/verifyApiKeyStamp.ts'
import type { verifyStamp } from '../stamps/verifyStamp.ts'
import { type Caller, chooseCaller } from './findCaller.ts'
import { unopenedUntil } from './mailCodes.ts'
import { noteUse } from './noteUse.ts'

export type ApiKeyLookUp = { organizationId: string; publicKey: string; curve: Curve }

/** An organization with a credential of it or of its parent; its members are null when there is none. */
export type AdmitRow = Selectable<CredentialTable> & {
  unopened_until: Date | null
  organization_id: string
  parent_id: string | null
  organization_name: string
  root_quorum_threshold: number
  deleted_at: Date | null
  frozen_at: Date | null
  organization_mac: Uint8Array
  organization_created_at: Date
}

export declare namespace admit {
  /** `findApiKey` looks API keys up, many at a time. */
  type Context = CustodyContext & { findApiKey(lookUp: ApiKeyLookUp): Promise<AdmitRow[]> }
  type Parameters = {
    stamp: verifyStamp.ReturnType
    organizationId: string
    /** When the request came in. @default now */
    at?: Date | undefined
  }
  type ReturnType = { organization: Organization; caller: Caller }
}

/**
 * The organization a request names, and who stamped it, in one round trip.
 *
 * @throws `INVALID_ORGANIZATION_ID`, `ORGANIZATION_NOT_FOUND`, `PUBLIC_KEY_NOT_FOUND`, `CREDENTIAL_NOT_FOUND`,
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
  o.deleted_at, o.frozen_at, o.mac as organization_mac, o.created_at as organization_created_at,
  c.id, c.user_id, c.org_id, c.kind, c.name, c.public_key, c.credential_id, c.rp_id, c.transports, c.aaguid, c.counter,
  c.email_session, c.type, c.authenticated_at, c.expires_at, c.last_used_at, c.revoked_at, c.mac, c.created_at,
  ${unopenedUntil} as unopened_until`

/** Rows of one organization and API key each: many are asked for at a time. */
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
    mac: row.organization_mac,
    created_at: row.organization_created_at,
  }
}
