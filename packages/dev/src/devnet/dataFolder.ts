import { lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { removeData } from '../database/dataLocation.ts'
import { DevError } from '../errors.ts'
import { isAlive } from '../processes/processes.ts'

export declare namespace lockFolder {
  type ReturnType = { release(): void }
}

type Owner = { pid: number; startedAt: string | undefined }

/**
 * Creates the devnet's folder if necessary, and locks it for this process: two devnets on the same data would corrupt
 * it. Takes over the lock of a process that has ended, even if its id was reused.
 */
export function lockFolder(dataDir: string): lockFolder.ReturnType {
  mkdirSync(dataDir, { recursive: true, mode: 0o755 })
  const path = join(resolve(dataDir), 'lock')
  const mine: Owner = { pid: process.pid, startedAt: readStartTime(process.pid) }
  for (let attempt = 0; attempt < 5; attempt++) {
    try {
      writeFileSync(path, JSON.stringify(mine), { flag: 'wx', mode: 0o644 })
      return { release: () => release(path) }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') {
        throw new DevError(`${dataDir} cannot be written.`, {
          code: 'CONFIG_INVALID',
          cause: error,
          hint: 'Choose another folder with --data-dir.',
        })
      }
    }
    const owner = read(path)
    if (owner && holds(owner)) throw taken(dataDir, owner)
    rmSync(path, { force: true })
  }
  throw new DevError(`The lock ${path} cannot be taken.`, { code: 'DATA_DIR_TAKEN' })
}

function taken(dataDir: string, owner: Owner): DevError {
  return new DevError(`Another devnet runs on ${dataDir} (process ${owner.pid}).`, {
    code: 'DATA_DIR_TAKEN',
    hint: 'Stop it first, or start this one next to it with --data-dir DIR --port-base N.',
  })
}

function holds(owner: Owner): boolean {
  if (!isAlive(owner.pid)) return false
  return owner.startedAt === undefined || owner.startedAt === readStartTime(owner.pid)
}

function release(path: string): void {
  if (read(path)?.pid === process.pid) rmSync(path, { force: true })
}

function read(path: string): Owner | undefined {
  try {
    const owner = JSON.parse(readFileSync(path, 'utf8')) as Owner
    return Number.isSafeInteger(owner.pid) && owner.pid > 0 ? owner : undefined
  } catch {
    return undefined
  }
}

/**
 * Returns a process's start time from /proc, in clock ticks since boot, to detect a reused process id; undefined
 * without /proc.
 */
function readStartTime(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The command in parentheses may contain spaces. Field 22 is counted from the closing parenthesis.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
  } catch {
    return undefined
  }
}

/** Files and folders that a devnet creates in its folder. All others are left alone. */
const own = ['secrets.json', 'chain', 'cache']

/** Deletes users, keys, chain and secrets of a devnet. The caller holds its lock. */
export function clearDevnet(dataDir: string): void {
  removeData(dataDir)
  for (const name of own) rmSync(join(dataDir, name), { recursive: true, force: true })
  for (const name of readdirSync(dataDir)) {
    // Left over from an interrupted start.
    if (/^postgres-new-\w{6}$/.test(name)) rmSync(join(dataDir, name), { recursive: true, force: true })
  }
}

/**
 * Returns the cache folder shared by this machine's devnets: `latchkey-dev` in `$XDG_CACHE_HOME`, by default
 * `~/.cache`. If that folder is not usable, returns a temporary folder of this user, or else a folder inside `dataDir`.
 */
export function cacheFolder(dataDir: string): string {
  const base = process.env.XDG_CACHE_HOME || join(homedir(), '.cache')
  const candidates = [join(base, 'latchkey-dev'), join(tmpdir(), `latchkey-dev-${process.getuid?.() ?? 'user'}`)]
  return candidates.find(isUsable) ?? join(dataDir, 'cache')
}

function isUsable(path: string): boolean {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 })
    const stat = lstatSync(path)
    // Rejects a folder that another user owns or can write to, because it could contain a forged chain.
    return (
      stat.isDirectory() && (process.getuid === undefined || stat.uid === process.getuid()) && (stat.mode & 0o022) === 0
    )
  } catch {
    return false
  }
}
