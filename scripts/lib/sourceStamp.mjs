import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './run.mjs'

const ignored = new Set(['node_modules', 'dist', 'artifacts', '.cache'])

/** Hashes path, size and time of every file below the given paths, without tests. */
export function sourceStamp(paths) {
  const hash = createHash('sha256')
  hash.update(process.version)
  for (const path of paths) add(hash, path)
  return hash.digest('hex')
}

function add(hash, path) {
  const full = join(root, path)
  if (!existsSync(full)) return
  const stat = statSync(full)
  if (!stat.isDirectory()) {
    if (!/\.test(-d)?\.tsx?$/.test(path)) hash.update(`${path}\0${stat.size}\0${Math.floor(stat.mtimeMs)}\n`)
    return
  }
  for (const name of readdirSync(full).sort()) if (!ignored.has(name)) add(hash, join(path, name))
}

export function readStamp(path) {
  return existsSync(path) ? readFileSync(path, 'utf8') : ''
}
