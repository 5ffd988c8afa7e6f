import { sql } from 'kysely'
import { z } from 'zod'
import type { KeyEncryption } from '../../keys/keyEncryption.ts'
import type { Db } from '../../platform/database/openStore.ts'
import { configInvalid } from '../../platform/errors/ServerError.ts'
import { type MacKind, macRow } from '../macs.ts'
import { secretAad } from '../wallets/sealSecret.ts'

type MovedTable = {
  /** Name of the MAC that protects the table's rows. */
  mac?: MacKind
  /** Whether the table's rows contain a wrapped data key. */
  hasKey?: boolean
  /** Whether the table has rows of the parent organization, whose users and keys are configured on each server. */
  isOfParent?: boolean
}

/**
 * Tables of a project's users, each after the tables it references. Excludes pending items (e-mails, codes,
 * confirmations and import targets), whose links lead to the original server.
 */
export const movedTables = {
  organizations: { mac: 'organizations' },
  users: { mac: 'users' },
  credentials: { mac: 'credentials' },
  oauth_providers: { mac: 'oauth_providers' },
  multi_factors: { mac: 'multi_factors', hasKey: true },
  wallets: { hasKey: true },
  wallet_accounts: { mac: 'wallet_accounts', hasKey: true },
  private_keys: { mac: 'private_keys', hasKey: true },
  activities: { mac: 'activities', isOfParent: true },
  activity_votes: { mac: 'activity_votes', isOfParent: true },
  activity_log: { isOfParent: true },
  activity_log_heads: { mac: 'activity_log_heads', isOfParent: true },
} as const satisfies Record<string, MovedTable>

export type MovedName = keyof typeof movedTables
export const movedNames = Object.keys(movedTables).filter((name): name is MovedName => name in movedTables)
export const getMovedTable = (name: MovedName): MovedTable => movedTables[name]

export type Row = Readonly<Record<string, unknown>>
export type Keys = { macKey: Uint8Array; keyEncryption: KeyEncryption }

/** SQL conditions that select the rows of a table by their organizations. */
const conditions: Partial<Record<MovedName, string>> = {
  organizations: 'id = any($)',
  activity_votes: 'activity_id in (select id from activities where org_id = any($))',
}

export async function selectRows(db: Db, name: MovedName, orgIds: readonly string[]): Promise<Row[]> {
  const [before = '', after = ''] = (conditions[name] ?? 'org_id = any($)').split('$')
  const where = sql`${sql.raw(before)}${orgIds}::uuid[]${sql.raw(after)}`
  // A vote's MAC covers the fingerprint of its activity.
  const more =
    name === 'activity_votes' ? sql.raw(', (select fingerprint from activities where id = activity_id)') : sql``
  const { rows } = await sql<Row>`select *${more} from ${sql.table(name)} where ${where}`.execute(db)
  return rows
}

/** Returns the columns to write; excludes those that the database computes. */
export async function listColumns(db: Db, name: MovedName): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select attname as name from pg_attribute
    where attrelid = ${name}::regclass and attnum > 0 and not attisdropped and attgenerated = ''`.execute(db)
  return rows.map((row) => row.name)
}

export async function listSchema(db: Db): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db)
  return rows.map((row) => row.name)
}

/**
 * Packs a row for transfer: checks this server's MAC and removes it, and unwraps the data key.
 * @throws `CONFIG_INVALID` for a row that custody did not write.
 */
export async function packRow(name: MovedName, row: Row, { macKey, keyEncryption }: Keys): Promise<Row> {
  const { mac: kind, hasKey } = getMovedTable(name)
  const { mac: signed, ...packed } = row
  if (kind && !(signed instanceof Uint8Array && Buffer.from(signed).equals(macRow(macKey, kind, row))))
    throw configInvalid(
      `A row of ${name} (${String(row.id ?? row.org_id)}) was not written by custody. Run \`latchkey-server audit verify\`; nothing was moved.`,
    )
  if (!hasKey) return packed
  const { wrapped_key, ...rest } = packed
  if (!(wrapped_key instanceof Uint8Array)) throw configInvalid(`A row of ${name} has no key.`)
  return { ...rest, data_key: await keyEncryption.unwrap(wrapped_key, readAad(name, row)) }
}

/** Unpacks a row on the other server: adds that server's MAC, and wraps the data key with its key-encryption key. */
export async function unpackRow(name: MovedName, packed: Row, { macKey, keyEncryption }: Keys): Promise<Row> {
  const { mac: kind, hasKey } = getMovedTable(name)
  const { data_key, ...row } = packed
  const signed = kind ? { ...row, mac: macRow(macKey, kind, row) } : row
  if (!hasKey) return signed
  if (!(data_key instanceof Uint8Array)) throw configInvalid(`A row of ${name} has no key.`)
  try {
    return { ...signed, wrapped_key: await keyEncryption.wrap(data_key, readAad(name, row)) }
  } finally {
    data_key.fill(0)
  }
}

const identitySchema = z.object({ id: z.string(), org_id: z.string(), key_version: z.number() })

/** Data keys are bound to their rows, whose ids do not change. */
function readAad(name: MovedName, row: Row): Uint8Array {
  const { id, org_id: orgId, key_version: version } = identitySchema.parse(row)
  if (name !== 'wallets' && name !== 'wallet_accounts' && name !== 'private_keys' && name !== 'multi_factors')
    throw configInvalid(`Rows of ${name} have no key.`)
  return secretAad({ table: name, orgId, id, version })
}

/** Writes a row with the columns that the table has. The driver expects JSON as text, and converts arrays itself. */
export async function insertRow(db: Db, name: MovedName, columns: readonly string[], row: Row): Promise<void> {
  const given = columns.filter((column) => row[column] !== undefined)
  const values = given.map((column) => toParameter(row[column]))
  await sql`insert into ${sql.table(name)} (${sql.join(given.map((column) => sql.ref(column)))})
    overriding system value values (${sql.join(values)})`.execute(db)
}

function toParameter(value: unknown): unknown {
  const isPlain = typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
  return isPlain ? JSON.stringify(value) : value
}

/** Encodes rows as JSON, in which bytes and times are tagged objects. */
export function encodeRows(rows: readonly Row[]): string {
  return JSON.stringify(
    rows.map((row) => Object.fromEntries(Object.entries(row).map(([key, value]) => [key, encode(value)]))),
  )
}

function encode(value: unknown): unknown {
  if (value instanceof Uint8Array) return { bytes: Buffer.from(value).toString('base64') }
  if (value instanceof Date) return { time: value.toISOString() }
  return value === null || value === undefined ? null : { value }
}

const memberSchema = z.union([
  z.null(),
  z.strictObject({ bytes: z.base64() }),
  z.strictObject({ time: z.iso.datetime() }),
  z.strictObject({ value: z.unknown() }),
])
const rowsSchema = z.array(z.record(z.string(), memberSchema))

export function decodeRows(rows: unknown): Row[] {
  return rowsSchema
    .parse(rows)
    .map((row) => Object.fromEntries(Object.entries(row).map(([key, member]) => [key, decode(member)])))
}

function decode(member: z.output<typeof memberSchema>): unknown {
  if (member === null) return null
  if ('bytes' in member) return new Uint8Array(Buffer.from(String(member.bytes), 'base64'))
  return 'time' in member ? new Date(String(member.time)) : member.value
}
