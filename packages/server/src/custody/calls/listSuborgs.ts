import { type Expression, type SqlBool, sql } from 'kysely'
import { z } from 'zod'
import { custodyError } from '../custodyError.ts'
import type { CustodyContext } from '../deps.ts'
import { searchSchema } from '../schemas.ts'
import { pageSchema } from './pageSchema.ts'
import { readQuery } from './readQuery.ts'
import { selectPage } from './selectPage.ts'

/** Whether a sub-organization fits, by its id. No user has a phone number or an OIDC token here, so nothing fits those. */
const filters = {
  NAME: (value: string) => sql<SqlBool>`organizations.name = ${value}`,
  USERNAME: (value: string) => inUsers(sql`name = ${value}`),
  EMAIL: (value: string) => inUsers(sql`lower(email) = ${value.trim().toLowerCase()}`),
  CREDENTIAL_ID: (value: string) =>
    inCredentials(sql`kind = 'passkey' and credential_id = ${value.replace(/=+$/, '')}`),
  PUBLIC_KEY: (value: string) => inCredentials(sql`public_key = ${value.toLowerCase()}`),
  WALLET_ACCOUNT_ADDRESS: (value: string) =>
    sql<SqlBool>`organizations.id in (select org_id from wallet_accounts where lower(address) = ${value.toLowerCase()})`,
  PHONE_NUMBER: () => sql<SqlBool>`false`,
  OIDC_TOKEN: () => sql<SqlBool>`false`,
} satisfies Record<string, (value: string) => Expression<SqlBool>>

const members = {
  filterType: z.enum(Object.keys(filters) as (keyof typeof filters)[]).optional(),
  filterValue: searchSchema.optional(),
  paginationOptions: pageSchema,
}

/**
 * `list_suborgs`: ids of the sub-organizations of a parent, oldest first, for the parent's users (custody protocol
 * § 2.7). E-mails and addresses are compared without case.
 */
export async function listSuborgs(
  context: CustodyContext,
  request: listSuborgs.Parameters,
): Promise<{ organizationIds: string[] }> {
  const { organization, parameters } = await readQuery(context, request, members)
  const { filterType, filterValue, paginationOptions: page } = parameters
  if ((filterType === undefined) !== (filterValue === undefined))
    throw custodyError('REQUEST_INVALID', 'filterType and filterValue go together: send both or neither.')
  let query = context.db
    .selectFrom('organizations')
    .select('id')
    .where('parent_id', '=', organization.id)
    .where('deleted_at', 'is', null)
  if (filterType !== undefined) query = query.where(filters[filterType](filterValue ?? ''))
  const rows = await selectPage(query, { table: 'organizations', page })
  return { organizationIds: rows.map((row) => row.id) }
}

export declare namespace listSuborgs {
  type Parameters = { headers: Headers; body: Uint8Array }
}

function inUsers(condition: Expression<unknown>): Expression<SqlBool> {
  return sql<SqlBool>`organizations.id in (select org_id from users where ${condition})`
}

function inCredentials(condition: Expression<unknown>): Expression<SqlBool> {
  return sql<SqlBool>`organizations.id in (select org_id from credentials where revoked_at is null and ${condition})`
}
