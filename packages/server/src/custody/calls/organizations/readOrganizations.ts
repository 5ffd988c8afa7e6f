import { type Expression, type SqlBool, sql } from 'kysely'
import { z } from 'zod'
import { custodyError } from '../../custodyError.ts'
import { defineQuery } from '../../definitions.ts'
import { assertReader } from '../../permissions.ts'
import { searchSchema } from '../../schemas.ts'
import { pageSchema, selectPage } from '../page.ts'
import { readUsers } from '../users/readUsers.ts'
import { readPrivateKeys } from '../wallets/readPrivateKeys.ts'
import { readWallets } from '../wallets/readWallets.ts'

/** `get_organization`: all that an organization holds (custody protocol § 2.7). */
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

/** Conditions on a sub-organization. None has a phone number or an OIDC token here, so those match nothing. */
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

/**
 * `list_suborgs`: ids of the sub-organizations of a parent, oldest first (custody protocol § 2.7). E-mails and
 * addresses are compared without case.
 */
export const listSuborgs = defineQuery({
  parameters: z.strictObject({
    filterType: z.enum(Object.keys(filters) as (keyof typeof filters)[]).optional(),
    filterValue: searchSchema.optional(),
    paginationOptions: pageSchema,
  }),
  authorize: assertReader,
  async run({ db, now }, { organization, parameters }) {
    const { filterType, filterValue, paginationOptions: page } = parameters
    if ((filterType === undefined) !== (filterValue === undefined))
      throw custodyError('REQUEST_INVALID', 'filterType and filterValue go together: send both or neither.')
    let query = db
      .selectFrom('organizations')
      .select('id')
      .where('parent_id', '=', organization.id)
      .where((where) => where.or([where('deleted_at', 'is', null), where('deleted_at', '>', new Date(now()))]))
    if (filterType !== undefined) query = query.where(filters[filterType](filterValue ?? ''))
    const rows = await selectPage(query, { table: 'organizations', page })
    return { organizationIds: rows.map((row) => row.id) }
  },
})

function inUsers(condition: Expression<unknown>): Expression<SqlBool> {
  return sql<SqlBool>`organizations.id in (select org_id from users where ${condition})`
}

function inCredentials(condition: Expression<unknown>): Expression<SqlBool> {
  return sql<SqlBool>`organizations.id in (select org_id from credentials where revoked_at is null and ${condition})`
}
