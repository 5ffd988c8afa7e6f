import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

/** Each import rule is proven by a planted violation in a copy of the configuration. */

const root = resolve(import.meta.dirname, '../..')
const client = 'packages/latchkey/src'
const protocol = 'packages/protocol/src'

/** Lists what each folder of the client may import besides itself and the protocol; `exports` may import everything. */
const allowed: Record<string, readonly string[]> = {
  core: [],
  web: ['core'],
  accounts: ['core'],
  signer: ['web', 'core'],
  wallet: ['signer', 'accounts', 'web', 'core'],
  query: ['wallet', 'signer', 'accounts', 'core'],
  react: ['query', 'wallet', 'signer', 'accounts', 'core'],
}
const folders = Object.keys(allowed)
const forbiddenPairs = folders.flatMap((from) =>
  [...folders, 'exports'].filter((to) => to !== from && !allowed[from]?.includes(to)).map((to) => [from, to] as const),
)

type Plant = { name: string; path: string; code: string; rule: string }
const restricted = 'lint/style/noRestrictedImports'
const importing = (name: string, path: string, from: string, rule = restricted): Plant => ({
  name,
  path,
  code: `import { thing } from '${from}'\nexport const planted: unknown = thing\n`,
  rule,
})
const plants: Plant[] = [
  ...forbiddenPairs.map(([from, to]) =>
    importing(`${from} imports ${to}`, `${client}/${from}/planted-${to}.ts`, `../${to}/thing.ts`),
  ),
  ...['core', 'accounts', 'signer', 'wallet', 'web'].map((folder) =>
    importing(`${folder} imports react`, `${client}/${folder}/planted-react.ts`, 'react'),
  ),
  importing('the client imports a Node module', `${client}/core/planted-node.ts`, 'node:fs'),
  importing('react imports the server', `${client}/react/planted-server.ts`, 'latchkey-server'),
  importing('the server imports the client', 'packages/server/src/app/planted-client.ts', 'latchkey/signer'),
  ...['signerApi', 'gateway', 'mail', 'frames', 'store'].map((role) =>
    importing(`${role} imports custody`, `packages/server/src/${role}/planted-custody.ts`, '../custody/thing.ts'),
  ),
  importing('a frame imports the client', 'packages/frames/src/planted-client.ts', 'latchkey/signer'),
  importing('protocol imports a package', 'packages/protocol/src/planted-package.ts', 'viem'),
  importing(
    'an undeclared dependency',
    'packages/server/src/http/planted-dependency.ts',
    'express',
    'lint/correctness/noUndeclaredDependencies',
  ),
  {
    name: 'a re-export outside src/exports',
    path: `${client}/core/planted-barrel.ts`,
    code: "export { thing } from './thing.ts'\n",
    rule: 'lint/performance/noBarrelFile',
  },
  {
    name: 'a re-export of everything in src/exports',
    path: `${client}/exports/planted-all.ts`,
    code: "export * from '../core/thing.ts'\n",
    rule: 'lint/performance/noReExportAll',
  },
  {
    name: 'a plain Error',
    path: `${client}/core/planted-error.ts`,
    code: "export function planted(): never {\n  throw new Error('no code')\n}\n",
    rule: 'plugin',
  },
  {
    name: 'any',
    path: `${client}/core/planted-any.ts`,
    code: 'export const planted: any = 1\n',
    rule: 'lint/suspicious/noExplicitAny',
  },
  {
    name: 'an import cycle',
    path: `${client}/core/planted-cycle-a.ts`,
    code: "import { b } from './planted-cycle-b.ts'\nexport const a: () => unknown = () => b\n",
    rule: 'lint/suspicious/noImportCycles',
  },
]

let copy: string

beforeAll(async () => {
  copy = await mkdtemp(join(tmpdir(), 'latchkey-walls-'))
  const config = JSON.parse(await readFile(join(root, 'biome.json'), 'utf8'))
  await writeFile(join(copy, 'biome.json'), JSON.stringify({ ...config, vcs: { enabled: false } }))
  await cp(join(root, 'biome'), join(copy, 'biome'), { recursive: true })
  await symlink(join(root, 'node_modules'), join(copy, 'node_modules'))
  for (const file of ['package.json', 'tsconfig.base.json']) await cp(join(root, file), join(copy, file))
  for (const name of ['protocol', 'latchkey', 'server', 'dev', 'frames'])
    await cp(join(root, `packages/${name}/package.json`), join(copy, `packages/${name}/package.json`))
  for (const folder of [...folders, 'exports']) {
    await put(`${client}/${folder}/thing.ts`, 'export const thing = 1\n')
    await cp(join(root, client, folder, 'tsconfig.json'), join(copy, client, folder, 'tsconfig.json'))
  }
  await put(`${protocol}/thing.ts`, 'export const thing = 1\n')
  await cp(join(root, protocol, 'tsconfig.json'), join(copy, protocol, 'tsconfig.json'))
  await put('packages/server/src/custody/thing.ts', 'export const thing = 1\n')
  await put(
    `${client}/core/planted-cycle-b.ts`,
    "import { a } from './planted-cycle-a.ts'\nexport const b: () => unknown = () => a\n",
  )
  for (const plant of plants) await put(plant.path, plant.code)
})

afterAll(async () => {
  await rm(copy, { recursive: true, force: true })
})

describe('lint', () => {
  let diagnostics: { path: string; category: string }[]

  beforeAll(async () => {
    const { stdout } = await run(join(root, 'node_modules/.bin/biome'), [
      'lint',
      '--reporter=json',
      '--max-diagnostics=none',
    ])
    const report = JSON.parse(stdout) as { diagnostics: { category: string; location: { path: unknown } }[] }
    diagnostics = report.diagnostics.map((diagnostic) => ({
      category: diagnostic.category,
      path: JSON.stringify(diagnostic.location.path),
    }))
  })

  test.each(plants)('reports: $name', ({ path, rule }) => {
    const found = diagnostics.filter((diagnostic) => diagnostic.path.includes(path)).map(({ category }) => category)
    expect(found).toContain(rule)
  })

  test('accepts a file that follows the import rules', () => {
    const clean = folders.map((folder) => `${client}/${folder}/thing.ts`)
    expect(diagnostics.filter(({ path }) => clean.some((file) => path.includes(file)))).toEqual([])
  })
})

describe('project references', () => {
  test.each(folders)('references only allowed folders in %s', async (folder) => {
    const config = JSON.parse(await readFile(join(root, client, folder, 'tsconfig.json'), 'utf8'))
    const references = (config.references as { path: string }[]).map(({ path }) => path.replace('../', ''))
    const others = references.filter((reference) => reference !== '../../protocol/src')
    expect(others.filter((reference) => !allowed[folder]?.includes(reference))).toEqual([])
  })

  test('refuses an import of an unreferenced folder in TypeScript', async () => {
    const { stdout } = await run(join(root, 'node_modules/.bin/tsc'), ['-p', `${client}/core`, '--noEmit'])
    expect(stdout).toMatch(/planted-signer\.ts.*error TS6307/)
  })
})

async function put(path: string, code: string): Promise<void> {
  await mkdir(dirname(join(copy, path)), { recursive: true })
  await writeFile(join(copy, path), code)
}

/** A non-zero exit is expected because of the planted violations. */
function run(command: string, args: string[]): Promise<{ stdout: string }> {
  return new Promise((done, fail) => {
    execFile(command, args, { cwd: copy, maxBuffer: 64e6, timeout: 110_000 }, (error, stdout) => {
      if (error && typeof error.code !== 'number') fail(error)
      else done({ stdout })
    })
  })
}
