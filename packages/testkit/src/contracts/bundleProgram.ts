import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'

const dist = fileURLToPath(new URL('../../../dev/dist/', import.meta.url))

/**
 * Bundles code into a program that tests can kill. Writes the program two folders below the package, from where it
 * finds the artifacts.
 */
export async function bundleProgram(code: string): Promise<{ path: string; close(): void }> {
  mkdirSync(dist, { recursive: true })
  const folder = mkdtempSync(join(dist, '.test-'))
  const entry = join(folder, 'entry.ts')
  writeFileSync(entry, code)
  await build({
    configFile: false,
    logLevel: 'error',
    resolve: { conditions: ['@latchkey/source'] },
    build: {
      ssr: entry,
      outDir: folder,
      emptyOutDir: false,
      minify: false,
      rollupOptions: { output: { entryFileNames: 'program.mjs' } },
    },
  })
  return { path: join(folder, 'program.mjs'), close: () => rmSync(folder, { recursive: true, force: true }) }
}

export function toImportPath(path: string): string {
  return JSON.stringify(fileURLToPath(new URL(`../../../../${path}`, import.meta.url)))
}
