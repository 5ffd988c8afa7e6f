import { randomBytes } from 'node:crypto'
import { chmodSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePorts } from '../../../dev/src/devnet/freePorts.ts'
import { FixtureError } from '../FixtureError.ts'
import { prepareDebianPostgres } from '../run/debianPostgres.ts'

/** Every commit of this PostgreSQL waits for a standby. */
export type ReplicatedDatabase = {
  url: string
  version: string
  /** Kills the primary, promotes the standby and leads the URL there; resolves to the milliseconds it took. */
  failOver(): Promise<number>
  close(): Promise<void>
}

export async function startReplicatedDatabase(): Promise<ReplicatedDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'latchkey-test-replication-'))
  chmodSync(folder, 0o711)
  const password = randomBytes(16).toString('hex')
  const { version, home, run, create, start, query } = await prepareDebianPostgres(folder, password)
  const [primaryData, standbyData] = [join(home, 'primary'), join(home, 'standby')]
  await create(primaryData)
  const primaryPort = await freePorts(2)
  const standbyPort = primaryPort + 1
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

/** Throws `what` after a minute. */
export async function until(
  isSo: () => Promise<boolean>,
  what = 'The standby does not follow the primary.',
): Promise<void> {
  for (let tries = 0; tries < 600; tries++) {
    if (await isSo()) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new FixtureError(what)
}

/** Forwards a port to another one that can change, as a virtual address or a balancer does. */
export async function startWay(first: number, own = 0) {
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
  await new Promise<void>((resolve) => server.listen(own, '127.0.0.1', resolve))
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
