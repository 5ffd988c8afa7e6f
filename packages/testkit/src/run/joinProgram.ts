import { mkdirSync, mkdtempSync, readdirSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

const root = fileURLToPath(new URL('../../../../', import.meta.url))
const joined = new Map<string, Promise<string>>()

/**
 * Bundles a package's built program, once per process, for tests that start dozens of processes: reading 1,500 modules
 * takes Node longer than the rest of the start. docs/design/testing.md lists the tests of installed programs.
 */
export function joinProgram(name: 'server' | 'exit'): Promise<string> {
  const path = joined.get(name) ?? write(name)
  joined.set(name, path)
  return path
}

async function write(name: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), `latchkey-test-${name}-`))
  const home = join(folder, 'packages', name)
  mkdirSync(home, { recursive: true })
  // The program resolves these paths relative to its own location.
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  for (const entry of readdirSync(join(root, 'packages', name)))
    if (entry !== 'dist') symlinkSync(join(root, 'packages', name, entry), join(home, entry))
  const bundle = await rolldown({
    input: join(root, 'packages', name, 'dist/cli/main.js'),
    platform: 'node',
    external: /^(?:@opentelemetry\/|pg-native)/,
    logLevel: 'silent',
  })
  try {
    await bundle.write({ dir: join(home, 'dist/cli'), format: 'esm', chunkFileNames: '[name]-[hash].js' })
  } finally {
    await bundle.close()
  }
  return join(home, 'dist/cli/main.js')
}
