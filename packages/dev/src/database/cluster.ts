import { execFile } from 'node:child_process'
import { chownSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { DevError } from '../errors.ts'
import { isAlive, readCommand, stopProcess } from '../processes/processes.ts'
import type { databaseUser } from './databaseUser.ts'

export declare namespace createCluster {
  type Parameters = {
    initdb: string
    /** Folder to create for the cluster. Its parent must exist. */
    data: string
    user: databaseUser.ReturnType | undefined
    password: string
  }
}

/**
 * Runs `initdb` in a temporary folder and renames the folder at the end, so that an interrupted start leaves no partial
 * cluster.
 */
export async function createCluster({ initdb, data, user, password }: createCluster.Parameters): Promise<void> {
  const staging = mkdtempSync(join(dirname(data), 'postgres-new-'))
  const cluster = join(staging, 'cluster')
  const passwordFile = join(staging, 'password')
  try {
    mkdirSync(cluster, { mode: 0o700 })
    writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 })
    if (user) for (const path of [staging, cluster, passwordFile]) chownSync(path, user.uid, user.gid)
    await run(initdb, initdbArguments(cluster, passwordFile), user)
    renameSync(cluster, data)
  } finally {
    rmSync(staging, { recursive: true, force: true })
  }
}

function initdbArguments(cluster: string, passwordFile: string): string[] {
  return [
    `--pgdata=${cluster}`,
    '--username=latchkey',
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C',
    // Saves time. Only an operating system crash shortly after `initdb` could damage the still empty cluster.
    '--no-sync',
    '--no-instructions',
  ]
}

async function run(program: string, args: string[], user: databaseUser.ReturnType | undefined): Promise<void> {
  const env = { LANG: 'C', LC_ALL: 'C', TZ: 'UTC', PATH: process.env.PATH ?? '' }
  const identity = user ? { uid: user.uid, gid: user.gid } : {}
  try {
    await promisify(execFile)(program, args, { cwd: '/', env, timeout: 60_000, ...identity })
  } catch (cause) {
    const { stdout = '', stderr = '' } = cause as { stdout?: string; stderr?: string }
    const output = `${stdout}${stderr}`.trim().slice(-4_000)
    throw new DevError(`initdb failed: ${output || (cause as Error).message}`, {
      code: 'DATABASE_UNREACHABLE',
      cause,
      hint: hintFor(output),
    })
  }
}

function hintFor(output: string): string | undefined {
  if (!output.includes('could not look up effective user ID')) return undefined
  return 'This user id has no name on this machine; give it an entry in /etc/passwd or run as another user.'
}

/**
 * Ends a server left by a killed devnet, or removes its lock file if another program now has the process id. PostgreSQL
 * itself removes the lock file of an ended process. The caller must hold the devnet's lock.
 */
export async function clearStaleLock(data: string): Promise<void> {
  const path = join(data, 'postmaster.pid')
  const pid = readPid(path)
  if (pid === undefined || !isAlive(pid)) return
  if (pid === process.pid || !readCommand(pid).includes(data)) {
    rmSync(path, { force: true })
    return
  }
  const signals = [
    { signal: 'SIGINT', waitMs: 5_000 },
    { signal: 'SIGQUIT', waitMs: 2_000 },
    { signal: 'SIGKILL', waitMs: 1_000 },
  ] as const
  if (await stopProcess({ pid, signals })) return
  throw new DevError(`A PostgreSQL server (process ${pid}) still runs on ${data} and cannot be stopped.`, {
    code: 'DATABASE_UNREACHABLE',
    hint: 'Stop it manually, or choose another folder with --data-dir.',
  })
}

function readPid(path: string): number | undefined {
  try {
    const pid = Number(readFileSync(path, 'utf8').split('\n')[0])
    return Number.isSafeInteger(pid) && pid > 1 ? pid : undefined
  } catch {
    return undefined
  }
}
