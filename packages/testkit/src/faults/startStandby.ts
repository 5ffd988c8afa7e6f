import { appendFileSync, chmodSync, chownSync, lstatSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { databaseUser } from '../../../dev/src/database/databaseUser.ts'
import { dataLocation, removeData } from '../../../dev/src/database/dataLocation.ts'
import { startDatabase } from '../../../dev/src/database/startDatabase.ts'
import { freePorts } from '../../../dev/src/devnet/freePorts.ts'
import { openStore, type Store } from '../../../server/src/platform/database/openStore.ts'
import { until } from './startPortForwarder.ts'

export type Standby = Awaited<ReturnType<typeof startStandby>>

/** Starts a synchronous standby of a running PostgreSQL server, whose commits then wait for the standby. */
export async function startStandby(primary: {
  url: string
  data: string
  password: string
  settings: Readonly<Record<string, string>>
}) {
  const { url, password, settings } = primary
  const folder = await mkdtemp(join(tmpdir(), 'latchkey-test-standby-'))
  // When run as root, the database runs as another user, which needs access to the folder.
  chmodSync(folder, 0o711)
  const data = dataLocation({ dataDir: folder, user: databaseUser() })
  const store = await openStore({ databaseUrl: url, maxConnections: 1 })
  const standby = await copyCluster(store, { from: primary.data, to: data })
    .then(async () => {
      writeFileSync(join(data, 'standby.signal'), '')
      const source = `host=127.0.0.1 port=${new URL(url).port} user=latchkey password=${password} application_name=standby`
      appendFileSync(join(data, 'postgresql.auto.conf'), `primary_conninfo = '${source}'\n`)
      own(data)
      const started = await startDatabase({ dataDir: folder, port: await freePorts(1), password, settings })
      await store.pool.query("alter system set synchronous_standby_names = 'standby'")
      await store.pool.query('select pg_reload_conf()')
      await until(async () => {
        const { rows } = await store.pool.query<{ sync_state: string }>('select sync_state from pg_stat_replication')
        return rows[0]?.sync_state === 'sync'
      })
      return started
    })
    .finally(() => store.close())
  return {
    port: Number(new URL(standby.url).port),
    /** Promotes the standby, which then accepts writes. */
    async promote() {
      const own = await openStore({ databaseUrl: standby.url, maxConnections: 1 })
      await own.pool.query('select pg_promote()').finally(() => own.close())
    },
    async close() {
      await standby.close()
      removeData(folder)
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Copies the cluster file by file, because the embedded PostgreSQL has no `pg_basebackup`. */
async function copyCluster({ pool }: Store, { from, to }: { from: string; to: string }): Promise<void> {
  await pool.query("select pg_backup_start('standby', true)")
  const isKept = (path: string) => !/^(?:postmaster\.(?:pid|opts)|pgsql_tmp.*)$/.test(basename(path))
  for (let tries = 1; ; tries++) {
    try {
      await cp(from, to, { recursive: true, preserveTimestamps: true, filter: isKept })
      break
    } catch (error) {
      // A file may be deleted during the copy.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || tries === 5) throw error
      rmSync(to, { recursive: true, force: true })
    }
  }
  const { rows } = await pool.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)')
  writeFileSync(join(to, 'backup_label'), rows[0]?.labelfile ?? '')
}

/** Changes the owner of a folder and its content to the database user. */
function own(data: string): void {
  chmodSync(data, 0o700)
  const user = databaseUser()
  if (!user) return
  for (const name of [
    data,
    ...readdirSync(data, { recursive: true, encoding: 'utf8' }).map((name) => join(data, name)),
  ])
    if (lstatSync(name).uid !== user.uid) chownSync(name, user.uid, user.gid)
}
