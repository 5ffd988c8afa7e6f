import { execFileSync } from 'node:child_process'
import { closeSync, openSync, rmSync, writeSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'

/** Mounts a small tmpfs, which tests can fill. Requires root: otherwise `isOwn` is false and `fill` does nothing. */
export async function startSmallDisk(megabytes: number) {
  const path = await mkdtemp(join(tmpdir(), 'latchkey-test-disk-'))
  const isOwn = mount(path, megabytes)
  // When run as root, the database runs as another user, which needs access to the folder.
  await chmod(path, 0o711)
  const filler = join(path, 'filler')
  return {
    path,
    isOwn,
    fill() {
      if (isOwn) fill(filler)
    },
    free: () => rmSync(filler, { force: true }),
    async close() {
      for (let tries = 0; isOwn && tries < 20 && !unmount(path); tries++) await setTimeout(250)
      await rm(path, { recursive: true, force: true })
    },
  }
}

function mount(path: string, megabytes: number): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', path], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

function unmount(path: string): boolean {
  try {
    execFileSync('umount', [path], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

function fill(file: string): void {
  const out = openSync(file, 'a')
  try {
    // Writes large blocks first, then single pages.
    for (const size of [1 << 20, 1 << 12])
      for (const piece = Buffer.alloc(size); ; ) if (writeSync(out, piece) < size) break
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
  } finally {
    closeSync(out)
  }
}
