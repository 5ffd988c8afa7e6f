import { spawn } from 'node:child_process'
import { chownSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DevError } from '../errors.ts'
import type { databaseUser } from './databaseUser.ts'

export declare namespace createCluster {
  type Parameters = {
    initdb: string
    /** Folder of the cluster; must not exist, its parent must. */
    data: string
    user: databaseUser.ReturnType | undefined
    password: string
  }
}

/** Runs `initdb` beside the final folder and renames at the end, so an interrupted start leaves no half a cluster. */
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
    // The server syncs what it writes from now on; an interruption here only costs a new initdb.
    '--no-sync',
    '--no-instructions',
  ]
}

function run(program: string, args: string[], user: databaseUser.ReturnType | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    let output = ''
    const identity = user ? { uid: user.uid, gid: user.gid } : {}
    const env = { LANG: 'C', LC_ALL: 'C', TZ: 'UTC', PATH: process.env.PATH ?? '' }
    const child = spawn(program, args, {
      cwd: '/',
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: 60_000,
      ...identity,
    })
    const keep = (chunk: Buffer): void => {
      output = (output + chunk.toString('utf8')).slice(-4_000)
    }
    child.stdout.on('data', keep)
    child.stderr.on('data', keep)
    child.once('error', (cause) =>
      reject(new DevError('initdb cannot be run.', { code: 'DATABASE_UNREACHABLE', cause })),
    )
    child.once('close', (code) => {
      if (code === 0) resolve()
      else
        reject(new DevError(`initdb failed: ${output.trim()}`, { code: 'DATABASE_UNREACHABLE', hint: hintFor(output) }))
    })
  })
}

function hintFor(output: string): string | undefined {
  if (!output.includes('could not look up effective user ID')) return undefined
  return 'This user id has no name on this machine; give it an entry in /etc/passwd or run as another user.'
}
