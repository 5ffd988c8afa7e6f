import { sql } from 'kysely'
import { copyProblems } from '../../app/createReadiness.ts'
import { databaseUrl } from '../../app/openStores.ts'
import { isStoreRole, type StoreRole } from '../../app/options.ts'
import { readAhead } from '../../platform/database/devnetClock.ts'
import { listGrantProblems } from '../../platform/database/listGrantProblems.ts'
import { listPendingMigrations } from '../../platform/database/migrate.ts'
import { openStore, type Store } from '../../platform/database/openStore.ts'
import { configInvalid, ServerError } from '../../platform/errors/ServerError.ts'
import { listCopies, silentSeconds } from '../../store/serverCopies.ts'
import type { Config } from '../readConfig.ts'
import { allowMissingTable, beforeMigrations } from './allowMissingTable.ts'
import type { Check, Skipped, Subject } from './checks.ts'

/** Checks each role's database. Checks a shared database only once. */
export function databaseChecks({ server, doctor }: Subject): Check[] {
  const databases = listDatabases(server)
  const isAlone = new Set(databases.map(({ url }) => url)).size < 2
  return databases.flatMap(({ role, url }, index) => {
    const name = isAlone ? '' : ` (${role})`
    const isFirst = databases.findIndex((other) => other.url === url) === index
    const ownUser = server.databaseUrls?.[role] !== undefined
    const setting = ownUser ? `LATCHKEY_${role.toUpperCase().replace('-', '_')}_DATABASE_URL` : 'DATABASE_URL'
    const options = { databaseUrl: url, directHost: server.databaseDirectHost, setting }
    const check = (what: string, run: (store: Store) => Promise<string | Skipped>) => ({
      name: `${what}${name}`,
      run: () => withStore(options, run),
    })
    return [
      ...(isFirst
        ? [
            check('PostgreSQL', checkVersion),
            check('latency', (store) =>
              checkLatency(store, doctor.isDevelopment ? Number.POSITIVE_INFINITY : maxLatencyMs),
            ),
            check('schema', checkSchema),
            check('time', checkTime),
          ]
        : []),
      { ...check('grants', (store) => checkGrants(store, role, ownUser)), name: `grants (${role})` },
      ...(index === 0 ? [{ ...check('running copies', checkCopies), name: 'running copies' }] : []),
    ]
  })
}

function listDatabases(server: Config['server']) {
  const users = server.roles.filter(isStoreRole)
  return users.map((role) => ({ role, url: databaseUrl(server, role) }))
}

async function withStore(
  { setting, ...options }: openStore.Options & { setting: string },
  run: (store: Store) => Promise<string | Skipped>,
): Promise<string | Skipped> {
  const store = await openStore({ ...options, maxConnections: 1 }).catch((error: unknown) => {
    throw error instanceof ServerError ? configInvalid(`${error.message} It is set by ${setting}.`, error) : error
  })
  try {
    return await run(store)
  } finally {
    await store.close()
  }
}

/** PostgreSQL's oldest supported release. */
const oldestVersion = 15

async function checkVersion({ db }: Store): Promise<string> {
  const { rows } = await sql<{ version: string; number: string }>`
    select current_setting('server_version') as version, current_setting('server_version_num') as number`.execute(db)
  const { version = 'unknown', number = '0' } = rows[0] ?? {}
  if (Number(number) < oldestVersion * 10_000)
    throw configInvalid(`is version ${version}: upgrade it to ${oldestVersion} or newer, which are tested`)
  return `answers, version ${version}`
}

/** A sign-up needs about thirty sequential round trips to the database. */
const maxLatencyMs = 50

async function checkLatency({ db }: Store, mostMs: number): Promise<string> {
  const times: number[] = []
  for (let count = 0; count < 10; count++) {
    const before = performance.now()
    await sql`select 1`.execute(db)
    times.push(performance.now() - before)
  }
  // The fastest round trip is the network time without other load.
  const fastest = Math.min(...times)
  if (fastest > mostMs)
    throw configInvalid(
      `a round trip takes ${fastest.toFixed(0)} ms: run server and database close together, since a sign-up needs about thirty`,
    )
  return `${fastest.toFixed(1)} ms per round trip`
}

/**
 * Maximum clock difference. Stamps and links use the role's clock, while limits and pauses use the database's clock.
 */
const maxSkewMs = 5_000

async function checkTime({ db }: Store): Promise<string> {
  const before = Date.now()
  const { rows } = await sql<{ at: number }>`
    select extract(epoch from clock_timestamp())::float8 * 1000 as at`.execute(db)
  const skewMs = Math.round(Number(rows[0]?.at) - (before + Date.now()) / 2)
  if (Math.abs(skewMs) > maxSkewMs)
    throw configInvalid(
      `the database's clock is ${Math.abs(skewMs)} ms ${skewMs > 0 ? 'ahead of' : 'behind'} this machine's: synchronize both with NTP`,
    )
  const aheadMs = await readAhead(db).catch(() => 0)
  if (aheadMs !== 0)
    throw configInvalid(
      `the clock of this database was moved ahead by ${aheadMs} ms, as in a devnet: delete the row in devnet_clock`,
    )
  return `the clocks agree, ${Math.abs(skewMs)} ms apart`
}

async function checkSchema({ db }: Store): Promise<string> {
  const pending = await listPendingMigrations(db)
  if (pending.length === 0) return 'up to date'
  throw configInvalid(`${pending.length} migration(s) to run: latchkey-server migrate`)
}

/**
 * Checks that the role's user has the privileges that the role needs. If the user belongs to this role alone, also
 * checks that the user has no other privileges.
 */
async function checkGrants({ db }: Store, role: StoreRole, ownUser: boolean): Promise<string | Skipped> {
  if ((await listPendingMigrations(db)).length > 0) return beforeMigrations
  try {
    const { missing, beyond, user } = await listGrantProblems(db, role)
    if (missing.length > 0)
      throw configInvalid(
        `${user} may not ${missing.slice(0, 3).join(', ')}${missing.length > 3 ? ` and ${missing.length - 3} more` : ''}: run latchkey-server grants --apply as the owner of the tables`,
      )
    if (ownUser && beyond.length > 0)
      throw configInvalid(
        `${user} may also read ${beyond.slice(0, 3).join(', ')}${beyond.length > 3 ? ` and ${beyond.length - 3} more` : ''}, which ${role} does not need: use the database user that latchkey-server grants creates`,
      )
    return ownUser ? `${user} has exactly the privileges ${role} needs` : `${user} has the privileges ${role} needs`
  } catch (error) {
    return allowMissingTable(error)
  }
}

const proxyFix = 'Set LATCHKEY_TRUSTED_PROXIES to the number of your proxies that append to that header'

/** Checks the status that running servers report in the database, since external checks cannot see it. */
async function checkCopies({ db }: Store): Promise<string | Skipped> {
  if ((await listPendingMigrations(db)).length > 0) return beforeMigrations
  const copies = (await listCopies(db)).filter(({ silent_seconds }) => silent_seconds <= silentSeconds)
  if (copies.length === 0) return { skipped: 'no server reported to this database in the last 90 seconds' }
  const problems = copies.flatMap(({ roles, state }) =>
    state.lacking?.server === undefined ? [] : `${roles.join(', ')}: ${state.lacking.server}`,
  )
  if (problems.length > 0)
    throw configInvalid(
      `${[...new Set(problems)].join('; ')}${problems.some((text) => text.includes(copyProblems.proxy)) ? `. ${proxyFix}` : ''}`,
    )
  return `${copies.length} report no problem of their own`
}
