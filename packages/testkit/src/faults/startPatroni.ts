import { randomBytes } from 'node:crypto'
import { chmodSync, copyFileSync, cpSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { databaseUser } from '../../../dev/src/database/databaseUser.ts'
import { freePorts } from '../../../dev/src/devnet/freePorts.ts'
import { startChild } from '../../../dev/src/processes/startChild.ts'
import { FixtureError } from '../FixtureError.ts'
import { findPrograms, prepareDebianPostgres } from '../run/debianPostgres.ts'
import { startWay, until } from './startWay.ts'

type Node = { name: string; rest: string; port: number; data: string; pid: number; close(): Promise<void> }

export type Patroni = Awaited<ReturnType<typeof startPatroni>>

/**
 * Starts PostgreSQL on two nodes of Debian's Patroni, which use etcd; every commit waits for the standby. The URL leads
 * to the primary that Patroni reports, as a balancer would.
 */
export async function startPatroni() {
  const folder = await mkdtemp(join(tmpdir(), 'latchkey-test-patroni-'))
  chmodSync(folder, 0o711)
  const { patroni, etcd, modules } = copyPrograms(folder)
  const password = randomBytes(16).toString('hex')
  const { version, home, query } = await prepareDebianPostgres(folder, password)
  const { bin } = findPrograms()
  const user = databaseUser()
  const identity = user && { uid: user.uid, gid: user.gid }
  const first = await freePorts(6)
  const cluster = await startEtcd({ program: etcd, home, port: first, identity })

  const startNode = async (name: string, port: number): Promise<Node> => {
    const data = join(home, name)
    const rest = `127.0.0.1:${port + 1}`
    const file = join(home, `${name}.json`)
    // JSON is valid YAML.
    writeFileSync(file, JSON.stringify(toSettings({ name, rest, port, data, bin, home, password, etcd: cluster.url })))
    const child = await startChild({
      name: `Patroni ${name}`,
      program: '/usr/bin/python3',
      args: [patroni, file],
      port: port + 1,
      user: identity,
      env: { LANG: 'C.UTF-8', PYTHONPATH: modules },
      timeoutMs: 60_000,
      signals: [{ signal: 'SIGTERM', waitMs: 20_000 }],
      // The standby is ready once it follows the primary.
      isReady: async () => (await fetch(`http://${rest}/health`, { signal: AbortSignal.timeout(2_000) })).ok,
    })
    return { name, rest, port, data, pid: child.pid, close: () => child.close() }
  }
  const isPrimary = ({ rest }: Node) =>
    fetch(`http://${rest}/primary`, { signal: AbortSignal.timeout(2_000) }).then(
      ({ ok }) => ok,
      () => false,
    )
  const one = await startNode('one', first + 2)
  await until(() => isPrimary(one))
  await query(one.port, 'create database latchkey', 'postgres')
  const two = await startNode('two', first + 4)
  await until(async () => (await query(one.port, 'select sync_state from pg_stat_replication')) === 'sync')
  const way = await startWay(one.port)
  return {
    url: `postgres://latchkey:${password}@127.0.0.1:${way.port}/latchkey`,
    version,
    /** Kills the primary and leads the URL to the promoted standby; resolves to the milliseconds it took. */
    async failOver() {
      const began = performance.now()
      // A lost machine takes down Patroni and its PostgreSQL at once.
      process.kill(one.pid, 'SIGKILL')
      process.kill(Number.parseInt(readFileSync(join(one.data, 'postmaster.pid'), 'utf8'), 10), 'SIGKILL')
      await until(() => isPrimary(two))
      way.leadTo(two.port)
      return performance.now() - began
    },
    async close() {
      await way.close()
      await two.close()
      await one.close()
      await cluster.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Another user must be able to reach the programs. */
function copyPrograms(folder: string) {
  const { PATRONI_PATH, PATRONI_MODULES, ETCD_PATH } = process.env
  if (!PATRONI_PATH || !ETCD_PATH)
    throw new FixtureError('PATRONI_PATH or ETCD_PATH is not set: run `npm run test:full -- --part database`.')
  const [patroni, etcd, modules] = [join(folder, 'patroni'), join(folder, 'etcd'), join(folder, 'modules')]
  copyFileSync(PATRONI_PATH, patroni)
  copyFileSync(ETCD_PATH, etcd)
  if (PATRONI_MODULES) cpSync(PATRONI_MODULES, modules, { recursive: true })
  return { patroni, etcd, modules }
}

type Identity = { uid: number; gid: number } | undefined

async function startEtcd(given: { program: string; home: string; port: number; identity: Identity }) {
  const { program, home, port, identity } = given
  const [url, peer] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${port + 1}`]
  const options = {
    'data-dir': join(home, 'etcd'),
    'listen-client-urls': url,
    'advertise-client-urls': url,
    'listen-peer-urls': peer,
    'initial-advertise-peer-urls': peer,
    'initial-cluster': `default=${peer}`,
  }
  const child = await startChild({
    name: 'etcd',
    program,
    args: Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]),
    port,
    user: identity,
    timeoutMs: 20_000,
    isReady: async () => (await fetch(`${url}/health`, { signal: AbortSignal.timeout(2_000) })).ok,
  })
  return { url, close: () => child.close() }
}

type Settings = Omit<Node, 'pid' | 'close'> & { bin: string; home: string; password: string; etcd: string }

function toSettings({ name, rest, port, data, bin, home, password, etcd }: Settings) {
  const address = `127.0.0.1:${port}`
  return {
    scope: 'latchkey',
    name,
    restapi: { listen: rest, connect_address: rest },
    etcd3: { hosts: new URL(etcd).host },
    bootstrap: {
      // Patroni accepts no shorter time to live; a lost primary keeps its lock for that long.
      dcs: { ttl: 20, loop_wait: 1, retry_timeout: 3, synchronous_mode: true },
      initdb: ['data-checksums', { encoding: 'UTF8' }, { 'auth-host': 'scram-sha-256' }],
      pg_hba: ['all', 'replication'].map((of) => `host ${of} all 127.0.0.1/32 scram-sha-256`),
    },
    postgresql: {
      listen: address,
      connect_address: address,
      data_dir: data,
      bin_dir: bin,
      pgpass: join(home, `pgpass-${name}`),
      authentication: {
        superuser: { username: 'latchkey', password },
        replication: { username: 'replicator', password },
      },
      basebackup: { checkpoint: 'fast' },
      parameters: { unix_socket_directories: '' },
    },
  }
}
