import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, createLogger, type Plugin } from 'vite'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('.', import.meta.url))

async function buildEntries(): Promise<{ warnings: string[]; modules: string[] }> {
  const id = join(root, 'page.js')
  const names = ['index', 'accounts', 'chains', 'signer', 'react', 'wire']
  const lines = names.map((name, index) => `import * as m${index} from './${name}.ts'\nconsole.log(m${index})`)
  const page: Plugin = {
    name: 'page',
    enforce: 'pre',
    resolveId: (name) => (name === id ? id : null),
    load: (name) => (name === id ? lines.join('\n') : null),
  }
  const warnings: string[] = []
  const logger = createLogger('warn')
  logger.warn = (line) => void warnings.push(line)
  logger.warnOnce = logger.warn
  const output = await build({
    root,
    configFile: false,
    customLogger: logger,
    plugins: [page],
    build: { write: false, minify: false, rolldownOptions: { input: id } },
  })
  const parts = (Array.isArray(output) ? output : [output]).flatMap((part) => ('output' in part ? part.output : []))
  return { warnings, modules: parts.flatMap((part) => (part.type === 'chunk' ? Object.keys(part.modules) : [])) }
}

test('builds a page of all entries without a warning about `node:`', async () => {
  const { warnings, modules } = await buildEntries()
  expect(modules.some((path) => path.endsWith('signer/runner/createRunner.ts'))).toBe(true)
  expect(warnings.filter((line) => line.includes('node:'))).toEqual([])
})
