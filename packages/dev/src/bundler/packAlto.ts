import { createHash, randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { altoProgram } from './altoProgram.ts'

/** Increase it when packing changes for the same files. */
const revision = 1

/**
 * Bundles the bundler into one file, which loads four times as fast as its thousands of files. Built once on this
 * machine from the installed package and never shipped, since the bundler is under the GPL. Falls back to the package's
 * own script.
 *
 * @param cacheDir Cache folder; may be shared by several devnets.
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

/** Changes with the versions of the bundler and its dependencies. */
function fingerprint(manifest: string): string {
  const text = readFileSync(manifest, 'utf8')
  const { dependencies = {} } = JSON.parse(text) as { dependencies?: Record<string, string> }
  const hash = createHash('sha256').update(`${revision} ${text}`)
  for (const name of Object.keys(dependencies).sort()) hash.update(readManifest(dirname(manifest), name))
  return hash.digest('hex').slice(0, 16)
}

/** Finds a package's manifest like Node; its `exports` may hide it from `require.resolve`. */
function readManifest(from: string, name: string): string {
  const path = join(from, 'node_modules', name, 'package.json')
  if (existsSync(path)) return readFileSync(path, 'utf8')
  return dirname(from) === from ? '' : readManifest(dirname(from), name)
}

/** Reports errors to its maker's service only if `SENTRY_DSN` is set, which our children never get. */
const unused = '@sentry/node'

/** Written to a temporary file and renamed, so that another devnet never runs a partial file. */
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
