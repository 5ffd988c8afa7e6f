import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, createLogger, type Plugin, preview } from 'vite'

const examples = fileURLToPath(new URL('../../examples/', import.meta.url))

export type App = { url: string; modules: readonly string[]; warnings: readonly string[]; close(): Promise<void> }

/** Builds an example with `vite build` and serves it. Calls `release` just before serving, to free the port. */
export async function buildApp(
  name: string,
  { port, variables, release }: { port: number; variables: Record<string, string>; release?: () => Promise<void> },
): Promise<App> {
  const root = join(examples, name)
  const folder = mkdtempSync(join(tmpdir(), `latchkey-${name}-`))
  const lines = Object.entries(variables).map(([key, value]) => `${key}=${value}\n`)
  writeFileSync(join(folder, '.env'), lines.join(''))
  const modules: string[] = []
  const warnings: string[] = []
  const collect: Plugin = {
    name: 'collect',
    generateBundle(_, bundle) {
      for (const file of Object.values(bundle)) if (file.type === 'chunk') modules.push(...file.moduleIds)
    },
  }
  const customLogger = createLogger('silent')
  customLogger.warn = (text) => void warnings.push(text)
  const outDir = join(folder, 'dist')
  const file = join(root, 'vite.config.ts')
  const configFile = existsSync(file) ? file : (false as const)
  const shared = { root, configFile, envDir: folder, logLevel: 'silent', customLogger } as const
  await build({ ...shared, plugins: [collect], build: { outDir, emptyOutDir: true } })
  await release?.()
  const server = await preview({
    ...shared,
    build: { outDir },
    preview: { port, strictPort: true, host: 'localhost' },
  })
  return {
    url: `http://localhost:${port}/`,
    modules,
    warnings,
    async close() {
      await server.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
