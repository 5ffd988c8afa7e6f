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

/** Starts PostgreSQL on its own disk, which keeps all acknowledged writes when the server is killed. */
export async function startFaultDatabase() {
  const disk = await startSmallDisk(diskMegabytes)
  const password = randomBytes(16).toString('hex')
  const port = await freePorts(1)
  const settings = {
    // A tmpfs keeps its data when the process dies, and has no disk to wait for.
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
    /** Connects as the owner of the tables, without delay. */
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
    /** Ends the server and restarts it on the same port once `whileDown` is done. */
    async restart(how: 'stop' | 'kill', whileDown?: () => Promise<void>) {
      if (how === 'kill') process.kill(server.pid, 'SIGKILL')
      await server.close()
      await whileDown?.()
      server = await start()
    },
    async startStandby() {
      standby = await startStandby({ url: server.url, data: server.data, password, settings })
    },
    /** Kills the server, promotes its synchronous standby once `whileDown` is done, and redirects the port to it. */
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
