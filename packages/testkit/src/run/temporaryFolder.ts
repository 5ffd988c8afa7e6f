import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isAlive } from '../../../dev/src/processes/processes.ts'

const memory = '/dev/shm'
const prefix = 'latchkey-tests-'
/** Whether the database is large. More than 100,000 rows need gigabytes. */
const isLarge = Number(process.env.LATCHKEY_PLAN_ROWS ?? 0) > 100_000

/**
 * Creates the temporary folder of a test run, in memory if there is room, because disks are slow with thousands of
 * small files.
 */
export default function setup(): () => void {
  const { TMPDIR } = process.env
  const root = !isLarge && isFit(memory) ? memory : tmpdir()
  forgetEnded(root)
  const folder = mkdtempSync(join(root, `${prefix}${process.pid}-`))
  // Writable by all users: when tests run as root, the database runs as another user.
  chmodSync(folder, 0o1777)
  process.env.TMPDIR = folder
  return () => {
    if (TMPDIR === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = TMPDIR
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
  }
}

/** Checks for four gigabytes of free space and for executable files, because PostgreSQL may be copied there. */
function isFit(root: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(root)
    if (bavail * bsize < 4 * 2 ** 30) return false
    const trial = mkdtempSync(join(root, `${prefix}${process.pid}-`))
    try {
      writeFileSync(join(trial, 'program'), '#!/bin/sh\n', { mode: 0o700 })
      return spawnSync(join(trial, 'program'), { timeout: 10_000 }).status === 0
    } finally {
      rmSync(trial, { recursive: true, force: true })
    }
  } catch {
    return false
  }
}

/** Deletes the folders of killed runs. */
function forgetEnded(root: string): void {
  for (const name of readdirSync(root)) {
    const pid = name.startsWith(prefix) ? Number.parseInt(name.slice(prefix.length), 10) : Number.NaN
    if (!(pid > 1) || isAlive(pid)) continue
    try {
      rmSync(join(root, name), { recursive: true, force: true })
    } catch {
      // The folder belongs to another user.
    }
  }
}
