import { chmod, copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { databaseUser } from '../../../dev/src/database/databaseUser.ts'
import { freePorts } from '../../../dev/src/devnet/freePorts.ts'
import { startChild } from '../../../dev/src/processes/startChild.ts'
import { databaseRoles } from '../../../server/src/platform/database/grants.ts'
import { FixtureError } from '../FixtureError.ts'
import type { Pooler } from './startFaultDevnet.ts'

/** Number of server sessions. It is lower than the number of connections, so transactions must share sessions. */
export const poolSize = 3

/** Starts PgBouncer in transaction mode for a database whose roles have the owner's password. */
export async function startPgBouncer({ url }: { url: string }): Promise<Pooler> {
  const program = process.env.PGBOUNCER_PATH
  if (!program) throw new FixtureError('PGBOUNCER_PATH is not set: run `npm run test:full -- --part database`.')
  const database = new URL(url)
  const users = [database.username, ...Object.values(databaseRoles)]
  const folder = await mkdtemp(join(tmpdir(), 'latchkey-test-pgbouncer-'))
  const port = await freePorts(1)
  // PgBouncer refuses to run as root, and another user needs access to the program.
  await chmod(folder, 0o755)
  await copyFile(program, join(folder, 'pgbouncer'))
  const password = decodeURIComponent(database.password)
  await writeFile(join(folder, 'users'), users.map((name) => `"${name}" "${password}"\n`).join(''))
  await writeFile(
    join(folder, 'pgbouncer.ini'),
    `[databases]
* = host=${database.hostname} port=${database.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${folder}/users
pool_mode = transaction
default_pool_size = ${poolSize}
max_client_conn = 200
log_connections = 0
log_disconnections = 0
admin_users = ${database.username}
`,
  )
  const own = new URL(url)
  own.port = String(port)
  const user = databaseUser()
  const child = await startChild({
    name: 'PgBouncer',
    program: join(folder, 'pgbouncer'),
    args: [join(folder, 'pgbouncer.ini')],
    port,
    env: { LD_LIBRARY_PATH: process.env.PGBOUNCER_LIBRARIES ?? '' },
    user: user && { uid: user.uid, gid: user.gid },
    timeoutMs: 60_000,
    async isReady() {
      const socket = await fetch(`http://127.0.0.1:${port}`).catch((error: { cause?: { code?: string } }) => error)
      // Any error except a refused connection means that PgBouncer is listening, although it does not speak HTTP.
      return socket instanceof Response || socket.cause?.code !== 'ECONNREFUSED'
    },
  })
  return {
    url: own.href,
    environment: { LATCHKEY_DATABASE_DIRECT_HOST: database.host },
    async close() {
      await child.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
