import { sql } from 'kysely'
import { z } from 'zod'
import type { Db } from '../../platform/database/openStore.ts'
import { toStoredEmail } from '../../platform/http/emails.ts'

const time = z.string().transform((text) => new Date(text).toISOString())

/** A user as the admin API may see it: the result of the database function `describe_organization`. */
const person = z.object({
  id: z.string(),
  parent_id: z.string().nullable(),
  name: z.string(),
  created_at: time,
  deleted_at: time.nullable(),
  frozen_at: time.nullable(),
  destroyed_at: time.nullable(),
  users: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      email: z.string().nullable(),
      email_verified_at: time.nullable(),
      created_at: time,
    }),
  ),
  credentials: z.array(
    z.object({
      id: z.string(),
      user_id: z.string(),
      kind: z.enum(['api_key', 'passkey']),
      type: z.string(),
      name: z.string(),
      created_at: time,
      last_used_at: time.nullable(),
      expires_at: time.nullable(),
    }),
  ),
  wallets: z.array(
    z.object({
      address: z.string(),
      path: z.string(),
      name: z.string(),
      imported: z.boolean(),
      exported_at: time.nullable(),
      created_at: time,
    }),
  ),
  private_keys: z.array(
    z.object({ address: z.string(), name: z.string(), exported_at: time.nullable(), created_at: time }),
  ),
})

const signIn = z.object({
  providers: z.array(z.object({ id: z.string(), name: z.string(), issuer: z.string(), created_at: time })),
  factors: z.array(
    z.object({ id: z.string(), activated_at: time.nullable(), recovery_codes_left: z.number(), created_at: time }),
  ),
})

/** Returns a user's identity providers and second factors, without subjects and secrets. */
export async function describeSignIn(db: Db, id: string): Promise<z.output<typeof signIn>> {
  const { rows } = await sql<{ found: unknown }>`select describe_sign_in(${id}::uuid) as found`.execute(db)
  return signIn.parse(rows[0]?.found)
}

/** A user's organization with valid credentials, active sessions and addresses, but no keys. */
export type Person = z.output<typeof person>

export async function describeOrganization(db: Db, id: string): Promise<Person | undefined> {
  const { rows } = await sql<{ found: unknown }>`select describe_organization(${id}::uuid) as found`.execute(db)
  const found = rows[0]?.found
  return found === null || found === undefined ? undefined : person.parse(found)
}

/** Returns ids of at most 20 organizations that exactly match an e-mail, key address or smart account. */
export async function findOrganizations(
  db: Db,
  { email, address }: { email?: string | undefined; address?: string | undefined },
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select found as id from find_organizations(${email === undefined ? null : toStoredEmail(email)}, ${address ?? null}) as found order by 1`.execute(
    db,
  )
  return rows.map(({ id }) => id)
}

/** A smart account of an owner, and the chains on which it has logged operations. */
export type SeenAccount = {
  address: string
  owner: string
  factoryType: string
  /** Chains with logged operations. `operations` counts at most the newest 1,000. */
  chains: { chainId: number; operations: number; lastAt: Date }[]
}

/**
 * Returns at most 100 smart accounts that the wallet API created for the given owners. Omits accounts created
 * elsewhere.
 */
export async function listSeenAccounts(db: Db, owners: readonly string[]): Promise<SeenAccount[]> {
  if (owners.length === 0) return []
  const { rows } = await seenAccountsQuery(owners).execute(db)
  const accounts = new Map<string, SeenAccount>()
  for (const { address, signer, factory_type, chain, operations, last } of rows) {
    const account = accounts.get(address) ?? { address, owner: signer, factoryType: factory_type, chains: [] }
    if (chain !== null && last)
      account.chains.push({ chainId: Number(chain), operations: Number(operations), lastAt: last })
    accounts.set(address, account)
  }
  return [...accounts.values()]
}

type SeenRow = Record<'address' | 'signer' | 'factory_type' | 'operations', string> & {
  chain: string | null
  last: Date | null
}

/** Builds the query of {@link listSeenAccounts}; exported so that a test can check its plan. */
export function seenAccountsQuery(owners: readonly string[]) {
  return sql<SeenRow>`
    select own.address, own.signer, own.factory_type, seen.chain_id::text as chain, count(seen.created_at)::text as operations,
      max(seen.created_at) as last
    from (
      select distinct on (address) address, signer, factory_type from smart_accounts
      where signer = any(${owners.map((owner) => owner.toLowerCase())}::text[]) order by address limit 100
    ) as own
    left join lateral (
      select chain_id, created_at from operations where sender = own.address
      order by created_at desc, user_op_hash desc limit 1000
    ) as seen on true
    group by 1, 2, 3, 4 order by 1, 4`
}
