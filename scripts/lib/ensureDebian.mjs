import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { root, run } from './run.mjs'

/** It and those of its libraries that a small system lacks. */
const packages = ['pgbouncer', 'libevent-2.1-7', 'libc-ares2']

/**
 * Finds PgBouncer, or unpacks Debian's without installing it, and leaves its path in PGBOUNCER_PATH. Throws where it cannot
 * be had.
 */
export async function ensurePgBouncer(say) {
  const folder = join(root, 'node_modules/.cache/pgbouncer')
  const unpacked = join(folder, 'usr/sbin/pgbouncer')
  const places = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin'].map((place) => join(place, 'pgbouncer'))
  const installed = process.env.PGBOUNCER_PATH ?? places.find((place) => existsSync(place))
  if (installed !== undefined) {
    process.env.PGBOUNCER_PATH = installed
    return
  }
  if (!existsSync(unpacked)) await unpack(folder, say)
  if (!existsSync(unpacked)) throw new Error('PgBouncer is missing. Install it, or set PGBOUNCER_PATH to it.')
  process.env.PGBOUNCER_PATH = unpacked
  const libraries = join(folder, 'usr/lib')
  process.env.PGBOUNCER_LIBRARIES = readdirSync(libraries)
    .map((name) => join(libraries, name))
    .join(delimiter)
}

async function unpack(folder, say) {
  say("Downloading Debian's PgBouncer with apt-get …")
  mkdirSync(folder, { recursive: true })
  if (process.getuid?.() === 0) await run('apt-get', ['update', '-qq'], { capture: true, timeoutMs: 300_000 })
  // It downloads into the working directory.
  const download = `cd '${folder}' && apt-get download -qq ${packages.join(' ')} && for file in *.deb; do dpkg-deb -x "$file" .; done`
  await run('sh', ['-c', download], { capture: true, timeoutMs: 300_000 })
}
