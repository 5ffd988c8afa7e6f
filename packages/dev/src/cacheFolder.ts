import { lstatSync, mkdirSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Folder for what is built once on a machine and shared by its worlds: `$XDG_CACHE_HOME/latchkey-dev`, else
 * `~/.cache/latchkey-dev`, else a folder of our own among the temporary ones, else one inside `dataDir`.
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
    // A folder some other user put there, or may write to, could feed us a chain of their making.
    return (
      stat.isDirectory() && (process.getuid === undefined || stat.uid === process.getuid()) && (stat.mode & 0o022) === 0
    )
  } catch {
    return false
  }
}
