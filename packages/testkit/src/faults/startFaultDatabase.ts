import { randomBytes } from 'node:crypto'
import { removeData } from '../../../dev/src/database/dataLocation.ts'
import { startDatabase } from '../../../dev/src/database/startDatabase.ts'
import { freePorts } from '../../../dev/src/devnet/freePorts.ts'
import { migrate } from '../../../server/src/platform/database/migrate.ts'
import { openStore } from '../../../server/src/platform/database/openStore.ts'
import { grantAll } from '../run/databaseServer.ts'
import { startSlowProxy } from '../slowProxy.ts'
import { startPortForwarder } from './startPortForwarder.ts'
import { startSmallDisk } from './startSmallDisk.ts'
import { type Standby, startStandby } from './startStandby.ts'

const diskMegabytes = 384

export type FaultDatabase = Awaited<ReturnType<typeof startFaultDatabase>>

/** Starts PostgreSQL on its own disk. If the server is killed, no acknowledged write is lost. */
export async function startFaultDatabase() {
  const disk = await startSmallDisk(diskMegabytes)
  const password = randomBytes(16).toString('hex')
  const port = await freePorts(1)
  const settings = {
    // The tmpfs survives a killed process, and there is no disk to sync to.
    fsync: 'off',
    synchronous_commit: 'on',
    max_wal_size: '64MB',
    min_wal_size: '32MB',
    max_connections: '120',
    wal_level: 'replica',
    max_wal_senders: '2',
  }
  const start = () => startDatabase({ dataDir: disk.path, port, password, settings })
  let server = await start()
  await migrate({ databaseUrl: server.url })
  await grantAll(server.url)
  const slow = await startSlowProxy(server.url, 0)
  let standby: Standby | undefined
  let way: Awaited<ReturnType<typeof startPortForwarder>> | undefined
  return {
    /** URL for a connection as the tables' owner, without delay. */
    url: server.url,
    password,
    slowUrl: slow.url,
    setDelay: slow.setDelay,
    disk,
    async run(...statements: string[]) {
      const store = await openStore({ databaseUrl: server.url, maxConnections: 1 })
      try {
        for (const statement of statements) await store.pool.query(statement)
      } finally {
        await store.close()
      }
    },
    /** Stops or kills the server, calls `whileDown` and restarts the server on the same port. */
    async restart(how: 'stop' | 'kill', whileDown?: () => Promise<void>) {
      if (how === 'kill') process.kill(server.pid, 'SIGKILL')
      await server.close()
      await whileDown?.()
      server = await start()
    },
    async startStandby() {
      standby = await startStandby({ url: server.url, data: server.data, password, settings })
    },
    /** Kills the server, calls `whileDown`, promotes the synchronous standby, and forwards the port to it. */
    async failOver(whileDown?: () => Promise<void>) {
      process.kill(server.pid, 'SIGKILL')
      await server.close()
      await whileDown?.()
      await standby?.promote()
      way = await startPortForwarder(standby?.port ?? 0, port)
    },
    open: () => openStore({ databaseUrl: server.url, maxConnections: 4 }),
    async close() {
      await slow.close()
      await way?.close()
      await standby?.close()
      await server.close()
      removeData(disk.path)
      await disk.close()
    },
  }
}
