import { type Expression, type SqlBool, sql } from 'kysely'
import { z } from 'zod'
import { toStoredEmail } from '../../../platform/http/emails.ts'
import { custodyError } from '../../custodyError.ts'
import { searchSchema } from '../../custodySchemas.ts'
import { defineQuery } from '../../definitions.ts'
import type { CustodyContext } from '../../deps.ts'
import { isTrusted } from '../../macs.ts'
import { idTokenSchema, verifyIdToken } from '../../oidc/verifyIdToken.ts'
import { assertReader } from '../../permissions.ts'
import { pageSchema, selectPage } from '../page.ts'
import { readUsers } from '../users/readUsers.ts'
import { readPrivateKeys } from '../wallets/readPrivateKeys.ts'
import { readWallets } from '../wallets/readWallets.ts'

/** `get_organization`: returns an organization's users, wallets and keys (custody protocol § 2.7). */
export const getOrganization = defineQuery({
  parameters: z.strictObject({}),
  authorize: assertReader,
  async run(context, { organization }) {
    const { id, name, threshold } = organization
    const users = await readUsers(context, { orgId: id })
    return {
      organizationData: {
        organizationId: id,
        name,
        users,
        policies: [],
        privateKeys: await readPrivateKeys(context, id),
        invitations: [],
        tags: [],
        rootQuorum: { threshold, userIds: users.map((user) => user.userId) },
        features: [],
        wallets: await readWallets(context, id),
        smartContractInterfaceReferences: [],
      },
    }
  },
})

/** `get_organization_configs`: returns the quorum and features of an organization (custody protocol § 2.7). */
export const getOrganizationConfigs = defineQuery({
  parameters: z.strictObject({}),
  authorize: assertReader,
  async run(context, { organization: { id, threshold } }) {
    const users = await readUsers(context, { orgId: id })
    // Features cannot be changed per organization.
    return { configs: { features: [], quorum: { threshold, userIds: users.map((user) => user.userId) } } }
  },
})

/** `list_policies`: returns an empty list, since no policies are enforced; see `refused` for `create_policy`. */
export const listPolicies = defineQuery({
  parameters: z.strictObject({}),
  authorize: assertReader,
  run: async () => ({ policies: [] }),
})

/** Filters for sub-organizations. Phone numbers are not supported, so they match nothing. */
const filters = {
  NAME: (value: string) => sql<SqlBool>`organizations.name = ${value}`,
  USERNAME: (value: string) => inUsers(sql`name = ${value}`),
  EMAIL: (value: string) => inUsers(sql`lower(email) = ${toStoredEmail(value).toLowerCase()}`),
  CREDENTIAL_ID: (value: string) =>
    inCredentials(sql`kind = 'passkey' and credential_id = ${value.replace(/=+$/, '')}`),
  PUBLIC_KEY: (value: string) => inCredentials(sql`public_key = ${value.toLowerCase()}`),
  WALLET_ACCOUNT_ADDRESS: (value: string) =>
    sql<SqlBool>`organizations.id in (select org_id from wallet_accounts where lower(address) = ${value.toLowerCase()})`,
  PHONE_NUMBER: () => sql<SqlBool>`false`,
  OIDC_TOKEN: (identity: string) =>
    sql<SqlBool>`organizations.id in (select org_id from oauth_providers where revoked_at is null
      and jsonb_build_array(issuer, audience, subject) = ${identity}::jsonb)`,
} satisfies Record<string, (value: string) => Expression<SqlBool>>

/**
 * `list_suborgs`: returns ids of the sub-organizations of a parent, oldest first (custody protocol § 2.7). E-mails and
 * addresses are compared case-insensitively.
 */
export const listSuborgs = defineQuery({
  parameters: z.strictObject({
    filterType: z.enum(Object.keys(filters) as (keyof typeof filters)[]).optional(),
    filterValue: z.union([searchSchema, idTokenSchema]).optional(),
    paginationOptions: pageSchema,
  }),
  authorize: assertReader,
  async run(context, { organization, parameters }) {
    const { filterType, filterValue } = parameters
    if (filterType !== 'OIDC_TOKEN' || filterValue === undefined)
      return { organizationIds: await readSubOrganizations(context, organization, parameters) }
    const identity = await verifyIdToken(context, { token: filterValue, rootOrgId: organization.id })
    const names = JSON.stringify([identity.issuer, identity.audience, identity.subject])
    return {
      organizationIds: await readSubOrganizations(context, organization, { ...parameters, filterValue: names }),
    }
  },
})

/**
 * `list_verified_suborgs`: returns ids of the sub-organizations in which a user has proven an e-mail address by an
 * e-mail (custody protocol § 2.7). Phone numbers are never proven here.
 */
export const listVerifiedSuborgs = defineQuery({
  parameters: z.strictObject({
    filterType: z.enum(['EMAIL', 'PHONE_NUMBER']).optional(),
    filterValue: searchSchema.optional(),
    paginationOptions: pageSchema,
  }),
  authorize: assertReader,
  async run(context, { organization, parameters }) {
    const verified = inUsers(sql`email_verified_at is not null`)
    const ids = await readSubOrganizations(context, organization, parameters, verified)
    if (ids.length === 0) return { organizationIds: [] }
    const users = context.db.selectFrom('users').selectAll().where('org_id', 'in', ids)
    const rows = await users.where('email_verified_at', 'is not', null).execute()
    const asked = parameters.filterType === 'EMAIL' ? parameters.filterValue?.trim().toLowerCase() : undefined
    // Skips rows that custody did not write, since apps sign users in to the returned ids.
    const proven = rows.filter(
      (row) => isTrusted(context, 'users', row) && (asked === undefined || row.email?.toLowerCase() === asked),
    )
    return { organizationIds: ids.filter((id) => proven.some((row) => row.org_id === id)) }
  },
})

type Filter = {
  filterType?: keyof typeof filters | undefined
  filterValue?: string | undefined
  paginationOptions: z.output<typeof pageSchema>
}

async function readSubOrganizations(
  { db, now }: Pick<CustodyContext, 'db' | 'now'>,
  { id }: { id: string },
  { filterType, filterValue, paginationOptions: page }: Filter,
  condition?: Expression<SqlBool>,
): Promise<string[]> {
  if ((filterType === undefined) !== (filterValue === undefined))
    throw custodyError('REQUEST_INVALID', 'filterType and filterValue go together: send both or neither.')
  let query = db
    .selectFrom('organizations')
    .select('id')
    .where('parent_id', '=', id)
    .where((where) => where.or([where('deleted_at', 'is', null), where('deleted_at', '>', new Date(now()))]))
  if (condition !== undefined) query = query.where(condition)
  if (filterType !== undefined) query = query.where(filters[filterType](filterValue ?? ''))
  const rows = await selectPage(query, { table: 'organizations', page })
  return rows.map((row) => row.id)
}

function inUsers(condition: Expression<unknown>): Expression<SqlBool> {
  return sql<SqlBool>`organizations.id in (select org_id from users where ${condition})`
}

function inCredentials(condition: Expression<unknown>): Expression<SqlBool> {
  return sql<SqlBool>`organizations.id in (select org_id from credentials where revoked_at is null and ${condition})`
}
