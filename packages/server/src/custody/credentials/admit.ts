import { type RawBuilder, type Selectable, sql } from 'kysely'
import type { CredentialTable, OrganizationTable } from '../../store/tables.ts'
import type { CustodyContext } from '../deps.ts'
import { assertOrganizationId, type Organization, toOrganization } from '../organizations/findOrganization.ts'
import type { verifyStamp } from '../stamps/verifyStamp.ts'
import { type Caller, chooseCaller } from './findCaller.ts'

type Row = Selectable<CredentialTable> & {
  organization_id: string
  parent_id: string | null
  organization_name: string
  root_quorum_threshold: number
  deleted_at: Date | null
  organization_mac: Uint8Array
  organization_created_at: Date
}

/**
 * The organization a request names, and who stamped it, in one round trip.
 *
 * @throws ServerError as `findOrganization` and `findCaller`
 */
export async function admit(context: CustodyContext, parameters: admit.Parameters): Promise<admit.ReturnType> {
  const { stamp, organizationId, at } = parameters
  assertOrganizationId(organizationId)
  const { rows } = await select(stamp, organizationId).execute(context.db)
  const organization = toOrganization(context, organizationId, rows[0] && readOrganization(rows[0]))
  const credentials = rows.filter((row) => row.id !== null)
  return { organization, caller: await chooseCaller(context, { stamp, organization, rows: credentials, at }) }
}

export declare namespace admit {
  type Parameters = {
    stamp: verifyStamp.ReturnType
    organizationId: string
    /** When the request came in. @default now */
    at?: Date | undefined
  }
  type ReturnType = { organization: Organization; caller: Caller }
}

const columns = sql.raw(`o.id as organization_id, o.parent_id, o.name as organization_name, o.root_quorum_threshold,
  o.deleted_at, o.mac as organization_mac, o.created_at as organization_created_at,
  c.id, c.user_id, c.org_id, c.kind, c.name, c.public_key, c.credential_id, c.rp_id, c.transports, c.counter,
  c.email_session, c.type, c.authenticated_at, c.expires_at, c.revoked_at, c.mac, c.created_at`)

function select(stamp: verifyStamp.ReturnType, organizationId: string): RawBuilder<Row> {
  if (stamp.kind === 'passkey')
    return sql`/* prepared admit_passkey */ select ${columns} from organizations o
      left join credentials c on c.org_id in (o.id, o.parent_id) and c.kind = 'passkey'
        and c.credential_id = ${stamp.assertion.credentialId}
      where o.id = ${organizationId}`
  return sql`/* prepared admit_api_key */ select ${columns} from organizations o
    left join credentials c on c.org_id in (o.id, o.parent_id) and c.kind = 'api_key' and c.public_key = ${stamp.publicKey}
      and (c.type = 'CREDENTIAL_TYPE_API_KEY_SECP256K1') = ${stamp.curve === 'secp256k1'}
    where o.id = ${organizationId}`
}

function readOrganization(row: Row): Selectable<OrganizationTable> {
  return {
    id: row.organization_id,
    parent_id: row.parent_id,
    name: row.organization_name,
    root_quorum_threshold: row.root_quorum_threshold,
    deleted_at: row.deleted_at,
    mac: row.organization_mac,
    created_at: row.organization_created_at,
  }
}
