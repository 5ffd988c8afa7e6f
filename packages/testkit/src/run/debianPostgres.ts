import { execFile } from 'node:child_process'
import { chownSync, existsSync, readdirSync, writeFileSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { databaseUser } from '../../../dev/src/database/databaseUser.ts'
import { startChild } from '../../../dev/src/processes/startChild.ts'
import { FixtureError } from '../FixtureError.ts'

const debian = '/usr/lib/postgresql'

export function findPrograms(): { version: string; bin: string } {
  const [version] = existsSync(debian) ? readdirSync(debian).sort().reverse() : []
  if (version === undefined)
    throw new FixtureError('PostgreSQL of Debian is not installed: apt-get install postgresql.')
  return { version, bin: join(debian, version, 'bin') }
}

export type DebianPostgres = Awaited<ReturnType<typeof prepareDebianPostgres>>

/** Prepares Debian's PostgreSQL. `folder` is for its clusters, and its user must have access. */
export async function prepareDebianPostgres(folder: string, password: string) {
  const { version, bin } = findPrograms()
  const user = databaseUser()
  const identity = user && { uid: user.uid, gid: user.gid }
  const own = (path: string) => identity && chownSync(path, identity.uid, identity.gid)
  const home = await mkdtemp(join(folder, 'data-'))
  own(home)
  const run = (name: string, args: string[], env: Record<string, string> = {}) =>
    promisify(execFile)(join(bin, name), args, { ...identity, cwd: '/', env: { LANG: 'C', ...env }, timeout: 60_000 })
  return {
    version,
    home,
    /** Creates a cluster with the only user `latchkey`. */
    async create(data: string) {
      const file = join(home, 'password')
      writeFileSync(file, password)
      own(file)
      const encoding = ['-E', 'UTF8', '--locale=C']
      await run('initdb', ['-D', data, '-U', 'latchkey', '-A', 'scram-sha-256', `--pwfile=${file}`, ...encoding])
    },
    start(data: string, port: number, settings: Readonly<Record<string, string>> = {}) {
      const all = { listen_addresses: '127.0.0.1', unix_socket_directories: '', ...settings }
      return startChild({
        name: `PostgreSQL of ${data}`,
        program: join(bin, 'postgres'),
        args: [
          '-D',
          data,
          '-p',
          String(port),
          ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
        ],
        port,
        user: identity,
        env: { LANG: 'C' },
        timeoutMs: 30_000,
        signals: [{ signal: 'SIGQUIT', waitMs: 5_000 }],
        async isReady() {
          await run('pg_isready', ['-h', '127.0.0.1', '-p', String(port)])
          return true
        },
      })
    },
    /** Runs a statement and returns its printed result. */
    async query(port: number, statement: string, database = 'latchkey') {
      const args = ['-h', '127.0.0.1', '-p', String(port), '-U', 'latchkey', '-d', database, '-Atc', statement]
      return (await run('psql', args, { PGPASSWORD: password })).stdout.trim()
    },
  }
}
