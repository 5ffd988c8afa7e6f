import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { commandOf } from '../commandOf.ts'
import { DevError } from '../errors.ts'
import { isAlive, stopProcess } from '../stopProcess.ts'

/**
 * Makes way after an unclean stop. A server left over from it (its parent was killed) is ended. A lock whose process
 * number now belongs to some other program is removed; one whose process is gone is left to PostgreSQL, which also
 * checks that no session of the old server is still writing. The caller holds the world's own lock.
 */
export async function clearStaleLock(data: string): Promise<void> {
  const path = join(data, 'postmaster.pid')
  const pid = readPid(path)
  if (pid === undefined || !isAlive(pid)) return
  if (pid === process.pid || !commandOf(pid).includes(data)) {
    rmSync(path, { force: true })
    return
  }
  const signals = [
    { signal: 'SIGINT', waitMs: 5_000 },
    { signal: 'SIGQUIT', waitMs: 2_000 },
    { signal: 'SIGKILL', waitMs: 1_000 },
  ] as const
  if (await stopProcess({ pid, signals })) return
  throw new DevError(`A PostgreSQL server (process ${pid}) still runs on ${data} and cannot be ended.`, {
    code: 'DATABASE_UNREACHABLE',
    hint: 'End it by hand, or choose another folder with --data-dir.',
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
