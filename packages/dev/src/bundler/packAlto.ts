import { createHash, randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { altoProgram } from './altoProgram.ts'

/** Raise when the same files are to be packed in another way. */
const revision = 1

/**
 * The bundler in one file: from its thousands it takes four times as long to load. It is made on this machine from the
 * installed package, once, and never shipped, since the bundler is under the GPL. Where it cannot be made, the
 * package's own script.
 *
 * @param cacheDir Folder it is kept in; may be shared by several devnets.
 */
export async function packAlto(cacheDir: string): Promise<string> {
  const { script, manifest } = altoProgram()
  const path = join(cacheDir, `alto-${fingerprint(manifest)}.mjs`)
  if (existsSync(path)) return path
  try {
    await write(script, path)
    return path
  } catch {
    return script
  }
}

/** Changes with the versions of the bundler and of what it names. */
function fingerprint(manifest: string): string {
  const text = readFileSync(manifest, 'utf8')
  const { dependencies = {} } = JSON.parse(text) as { dependencies?: Record<string, string> }
  const hash = createHash('sha256').update(`${revision} ${text}`)
  for (const name of Object.keys(dependencies).sort()) hash.update(readManifest(dirname(manifest), name))
  return hash.digest('hex').slice(0, 16)
}

/** Where Node would find a package's manifest; its `exports` may hide it from `require.resolve`. */
function readManifest(from: string, name: string): string {
  const path = join(from, 'node_modules', name, 'package.json')
  if (existsSync(path)) return readFileSync(path, 'utf8')
  return dirname(from) === from ? '' : readManifest(dirname(from), name)
}

/** Reports errors to a service of its maker's only where `SENTRY_DSN` is set, which a child of ours never sees. */
const unused = '@sentry/node'

/** Written beside and renamed, so that another devnet's start never runs half of it. */
async function write(script: string, path: string): Promise<void> {
  const { rolldown } = await import('rolldown')
  const bundle = await rolldown({
    input: script,
    platform: 'node',
    logLevel: 'silent',
    plugins: [
      {
        name: 'without reports',
        resolveId: { filter: { id: new RegExp(`^${unused}$`) }, handler: () => `\0${unused}` },
        load: { filter: { id: new RegExp(`^\0${unused}$`) }, handler: () => 'export function captureException() {}' },
      },
    ],
  })
  mkdirSync(dirname(path), { recursive: true })
  const fresh = `${path}.${randomUUID()}`
  try {
    await bundle.write({ file: fresh, format: 'esm', codeSplitting: false })
    renameSync(fresh, path)
  } finally {
    rmSync(fresh, { force: true })
    await bundle.close()
  }
}
