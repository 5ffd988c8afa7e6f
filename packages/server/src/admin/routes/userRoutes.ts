import type { AdminFoundPerson, AdminPerson } from 'latchkey-protocol/admin'
import { z } from 'zod'
import { ServerError } from '../../platform/errors/ServerError.ts'
import { addressesFor } from '../addressesFor.ts'
import { address, nothing, time, uuid } from '../adminSchemas.ts'
import { type CallContext, defineRead, type Route } from '../defineRoute.ts'
import { findOperatorRequest } from '../reads/operatorRequests.ts'
import {
  describeOrganization,
  describeSignIn,
  findOrganizations,
  listSeenAccounts,
  type Person,
} from '../reads/people.ts'

const masked = 'Viewers see only the first character and the domain.'
const user = z.object({
  id: uuid,
  name: z.string(),
  email: z.string().nullable().describe(masked),
  emailVerifiedAt: time.nullable(),
  createdAt: time,
})
const deletion = z
  .object({ keysDestroyedAt: time, isDone: z.boolean() })
  .nullable()
  .describe('Time until which the user can undo the deletion. Null if the account is not being deleted.')

const found = z.object({
  organizationId: uuid,
  parentOrganizationId: uuid.nullable(),
  name: z.string(),
  users: z.array(user),
  deletion,
  frozenAt: time.nullable().describe('Time since which the account is frozen. Null if it is not frozen.'),
  createdAt: time,
}) satisfies z.ZodType<AdminFoundPerson>

const credential = z.object({
  id: uuid,
  userId: uuid,
  kind: z.enum(['passkey', 'api-key']),
  type: z.string(),
  name: z.string(),
  createdAt: time,
  lastUsedAt: time.nullable().describe('Accurate to an hour.'),
})
const key = z.object({ address, name: z.string(), exportedAt: time.nullable(), createdAt: time })

const shown = found.extend({
  waitingDeletion: z
    .object({ body: z.string(), operatorId: z.string(), operatorName: z.string(), createdAt: time })
    .nullable()
    .describe('Deletion that waits for a second admin to stamp the same body.'),
  credentials: z.array(credential).describe('Credentials without an expiry, which can sign in.'),
  sessions: z.array(credential.extend({ endsAt: time })).describe('Active sessions.'),
  providers: z
    .array(z.object({ id: uuid, name: z.string(), issuer: z.string(), createdAt: time }))
    .describe('Identity providers by which the user signs in.'),
  factors: z
    .array(
      z.object({
        id: uuid,
        activatedAt: time.nullable().describe('Null until its user has proven a code.'),
        recoveryCodesLeft: z.number(),
        createdAt: time,
      }),
    )
    .describe('Authenticator apps that a sign-in asks for.'),
  wallets: z.array(key.extend({ path: z.string(), imported: z.boolean() })).describe('One entry per address.'),
  privateKeys: z.array(key),
  accounts: z
    .array(
      z.object({
        address,
        owner: address,
        factoryType: z.string(),
        chains: z.array(
          z.object({
            chainId: z.number(),
            operations: z.number().describe('Number of operations, counted up to 1,000.'),
            lastAt: time,
          }),
        ),
      }),
    )
    .describe(
      'Smart accounts created by the wallet API, with the chains of their operations. Accounts created by a client alone are not listed.',
    ),
}) satisfies z.ZodType<AdminPerson>

const oneOf = 'Ask for one of email, address and organizationId.'

export const userRoutes: readonly Route[] = [
  defineRead({
    path: '/users',
    role: 'viewer',
    name: 'user.find',
    summary: 'Finds at most 20 users by full email address, by address of a key or smart account, or by organization.',
    params: nothing,
    query: z
      .strictObject({
        email: z.string().min(3).max(320).optional().describe('Case-insensitive.'),
        address: address.optional(),
        organizationId: uuid.optional(),
      })
      .refine((query) => Object.values(query).filter((value) => value !== undefined).length === 1, oneOf),
    response: z.object({ items: z.array(found) }),
    async run(context, { query }) {
      const ids =
        query.organizationId === undefined ? await findOrganizations(context.db, query) : [query.organizationId]
      const people = await Promise.all(ids.map((id) => describeOrganization(context.db, id)))
      return { items: people.flatMap((person) => (person ? [toFound(person, addressesFor(context.operator))] : [])) }
    },
  }),
  defineRead({
    path: '/users/{organizationId}',
    role: 'viewer',
    name: 'user.show',
    summary: 'Returns a user with credentials, sessions, addresses and accounts. Never returns keys.',
    params: z.strictObject({ organizationId: uuid }),
    query: nothing,
    response: shown,
    errors: ['NOT_FOUND'],
    run: show,
  }),
]

async function show(
  { db, now, operator, passkeyOperators }: CallContext,
  { params }: { params: { organizationId: string } },
): Promise<z.input<typeof shown>> {
  const person = await describeOrganization(db, params.organizationId)
  if (!person) throw new ServerError('There is no such organization.', { code: 'NOT_FOUND', status: 404 })
  const text = addressesFor(operator)
  const accounts = await listSeenAccounts(
    db,
    [...person.wallets, ...person.private_keys].map((one) => one.address),
  )
  const credentials = person.credentials.map((one) => ({
    id: one.id,
    userId: one.user_id,
    kind: one.kind === 'passkey' ? ('passkey' as const) : ('api-key' as const),
    type: one.type,
    name: hideAddress(one.name, text),
    createdAt: one.created_at,
    lastUsedAt: one.last_used_at,
    endsAt: one.expires_at,
  }))
  const { providers, factors } = await describeSignIn(db, person.id)
  const waiting = await findOperatorRequest(db, person.id, now())
  return {
    ...toFound(person, text),
    waitingDeletion: waiting
      ? {
          body: waiting.body,
          operatorId: waiting.operatorId,
          operatorName: passkeyOperators.find(({ id }) => id === waiting.operatorId)?.name ?? 'a former operator',
          createdAt: waiting.createdAt.toISOString(),
        }
      : null,
    credentials: credentials.filter(({ endsAt }) => endsAt === null),
    sessions: credentials.flatMap(({ endsAt, ...one }) => (endsAt === null ? [] : [{ ...one, endsAt }])),
    providers: providers.map(({ id, name, issuer, created_at }) => ({ id, name, issuer, createdAt: created_at })),
    factors: factors.map(({ id, activated_at, recovery_codes_left, created_at }) => ({
      id,
      activatedAt: activated_at,
      recoveryCodesLeft: recovery_codes_left,
      createdAt: created_at,
    })),
    wallets: person.wallets.map(({ path, imported, ...one }) => ({ ...toKey(one), path, imported })),
    privateKeys: person.private_keys.map(toKey),
    accounts: accounts.map(({ chains, ...account }) => ({
      ...account,
      chains: chains.map(({ lastAt, ...chain }) => ({ ...chain, lastAt: lastAt.toISOString() })),
    })),
  }
}

function toFound(person: Person, text: (address: string) => string): z.input<typeof found> {
  return {
    organizationId: person.id,
    parentOrganizationId: person.parent_id,
    name: hideAddress(person.name, text),
    users: person.users.map(({ id, name, email, email_verified_at, created_at }) => ({
      id,
      name: hideAddress(name, text),
      email: email === null ? null : text(email),
      emailVerifiedAt: email_verified_at,
      createdAt: created_at,
    })),
    deletion:
      person.deleted_at === null ? null : { keysDestroyedAt: person.deleted_at, isDone: person.destroyed_at !== null },
    frozenAt: person.frozen_at,
    createdAt: person.created_at,
  }
}

const hideAddress = (name: string, text: (address: string) => string) => (name.includes('@') ? text(name) : name)

function toKey({ address, name, exported_at, created_at }: Person['private_keys'][number]): z.input<typeof key> {
  return { address, name, exportedAt: exported_at, createdAt: created_at }
}
