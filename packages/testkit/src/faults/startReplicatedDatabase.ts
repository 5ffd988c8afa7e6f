import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, chownSync, existsSync, readdirSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { databaseUser } from '../../../dev/src/database/databaseUser.ts'
import { startChild } from '../../../dev/src/processes/startChild.ts'
import { freePorts } from '../../../dev/src/world/freePorts.ts'
import { FixtureError } from '../FixtureError.ts'

const debian = '/usr/lib/postgresql'

/** Debian's PostgreSQL, of which every commit waits for a standby. */
export type ReplicatedDatabase = {
  /** Leads to the one that takes writes. */
  url: string
  version: string
  /** Ends the primary by SIGKILL, makes the standby one and leads the URL there. Resolves to how long it took. */
  failOver(): Promise<number>
  close(): Promise<void>
}

/** Programs as Debian's packages install them. */
function findPrograms(): { version: string; bin: string } {
  const [version] = existsSync(debian) ? readdirSync(debian).sort().reverse() : []
  if (version === undefined)
    throw new FixtureError('PostgreSQL of Debian is not installed: apt-get install postgresql.')
  return { version, bin: join(debian, version, 'bin') }
}

export async function startReplicatedDatabase(): Promise<ReplicatedDatabase> {
  const { version, bin } = findPrograms()
  const folder = await mkdtemp(join(tmpdir(), 'latchkey-test-replication-'))
  const user = databaseUser()
  const identity = user && { uid: user.uid, gid: user.gid }
  chmodSync(folder, 0o711)
  const own = (path: string) => identity && chownSync(path, identity.uid, identity.gid)
  const run = (name: string, args: string[], env: Record<string, string> = {}) =>
    promisify(execFile)(join(bin, name), args, { ...identity, cwd: '/', env: { LANG: 'C', ...env }, timeout: 60_000 })
  const home = await mkdtemp(join(folder, 'data-'))
  own(home)
  const [primaryData, standbyData] = [join(home, 'primary'), join(home, 'standby')]
  const password = randomBytes(16).toString('hex')
  const passwordFile = join(home, 'password')
  writeFileSync(passwordFile, password)
  own(passwordFile)
  await run('initdb', ['-D', primaryData, '-U', 'latchkey', '-A', 'scram-sha-256', `--pwfile=${passwordFile}`])
  const primaryPort = await freePorts(2)
  const standbyPort = primaryPort + 1
  const start = (data: string, port: number) =>
    startChild({
      name: `PostgreSQL of ${data}`,
      program: join(bin, 'postgres'),
      args: ['-D', data, '-p', String(port), '-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories='],
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
  const query = async (port: number, statement: string, database = 'latchkey') => {
    const args = ['-h', '127.0.0.1', '-p', String(port), '-U', 'latchkey', '-d', database, '-Atc', statement]
    return (await run('psql', args, { PGPASSWORD: password })).stdout.trim()
  }
  const primary = await start(primaryData, primaryPort)
  await query(primaryPort, 'create database latchkey', 'postgres')
  const source = `host=127.0.0.1 port=${primaryPort} user=latchkey password=${password} application_name=standby`
  await run('pg_basebackup', ['-D', standbyData, '-R', '-X', 'stream', '-c', 'fast', '-d', source])
  const standby = await start(standbyData, standbyPort)
  await query(primaryPort, "alter system set synchronous_standby_names = 'standby'")
  await query(primaryPort, 'select pg_reload_conf()')
  await until(async () => (await query(primaryPort, 'select sync_state from pg_stat_replication')) === 'sync')
  const way = await startWay(primaryPort)
  return {
    url: `postgres://latchkey:${password}@127.0.0.1:${way.port}/latchkey`,
    version,
    async failOver() {
      const began = performance.now()
      process.kill(primary.pid, 'SIGKILL')
      await query(standbyPort, 'select pg_promote()')
      way.leadTo(standbyPort)
      return performance.now() - began
    },
    async close() {
      await way.close()
      await standby.close()
      await primary.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    if (await isSo()) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new FixtureError('The standby does not follow the primary.')
}

/** A port that leads to another, as a virtual address or a balancer does. */
async function startWay(first: number) {
  let target = first
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const database = connect(target, '127.0.0.1')
    for (const socket of [client, database]) {
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        client.destroy()
        database.destroy()
      })
    }
    client.pipe(database).pipe(client)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    leadTo(port: number) {
      target = port
      for (const socket of sockets) socket.destroy()
    },
    async close() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
