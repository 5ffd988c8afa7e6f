import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isAlive } from '../../../dev/src/processes/processes.ts'

const memory = '/dev/shm'
const prefix = 'latchkey-tests-'
/** A database that is filled by hand needs gigabytes. */
const isLarge = Number(process.env.LATCHKEY_PLAN_ROWS ?? 0) > 100_000

/**
 * Gives a run of tests a folder for temporary files that goes with it, in memory where there is room: databases,
 * browsers and chains write thousands of small files to throw them away, which a disk's file system is slow at.
 */
export default function setup(): () => void {
  const { TMPDIR } = process.env
  const root = !isLarge && isFit(memory) ? memory : tmpdir()
  forgetEnded(root)
  const folder = mkdtempSync(join(root, `${prefix}${process.pid}-`))
  // As every folder of this kind: other users who work for a test (the database under root) may write.
  chmodSync(folder, 0o1777)
  process.env.TMPDIR = folder
  return () => {
    if (TMPDIR === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = TMPDIR
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
  }
}

/** Room for four gigabytes, and programs may be run from there: PostgreSQL is copied to such a folder where need be. */
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

/** What a run left that was killed. */
function forgetEnded(root: string): void {
  for (const name of readdirSync(root)) {
    const pid = name.startsWith(prefix) ? Number.parseInt(name.slice(prefix.length), 10) : Number.NaN
    if (!(pid > 1) || isAlive(pid)) continue
    try {
      rmSync(join(root, name), { recursive: true, force: true })
    } catch {
      // Another user's: theirs to remove.
    }
  }
}
