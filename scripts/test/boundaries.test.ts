import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

/**
 * Proves each rule of `biome/boundaries.json` and `biome.json` with a violation planted in a copy of the configuration.
 */

const root = resolve(import.meta.dirname, '../..')
const client = 'packages/latchkey/src'
const server = 'packages/server/src'

/** Lists what each folder may import besides itself and the protocol. */
const clientFolders: Record<string, readonly string[]> = {
  core: [],
  web: ['core'],
  accounts: ['core'],
  signer: ['web', 'core'],
  wallet: ['signer', 'accounts', 'web', 'core'],
  query: ['wallet', 'signer', 'accounts', 'core'],
  react: ['query', 'wallet', 'signer', 'accounts', 'core'],
  wagmi: ['wallet', 'signer', 'accounts', 'core'],
}
const base = ['platform', 'keys', 'store']
const serverFolders: Record<string, readonly string[]> = {
  platform: [],
  keys: ['platform'],
  store: ['platform'],
  webauthn: ['platform', 'keys'],
  custody: [...base, 'webauthn'],
  mail: base,
  signerApi: base,
  gateway: base,
  webhooks: ['platform', 'store'],
  frames: ['platform', 'store'],
  admin: [...base, 'gateway', 'webauthn'],
  console: ['platform'],
}

type Plant = { name: string; path: string; code: string; rule: string }
const restricted = 'lint/style/noRestrictedImports'
const undeclared = 'lint/correctness/noUndeclaredDependencies'

const imports = (name: string, folder: string, module: string, rule = restricted): Plant => ({
  name,
  path: `${folder}/planted-${module.replace(/\W+/g, '-')}.ts`,
  code: `import { thing } from '${module}'\nexport const planted: unknown = thing\n`,
  rule,
})

/** Plants an import of every folder that a folder may not import. */
function forbiddenPairs(home: string, folders: Record<string, readonly string[]>, more: readonly string[]): Plant[] {
  const all = [...Object.keys(folders), ...more]
  return Object.entries(folders).flatMap(([from, allowed]) =>
    all
      .filter((to) => to !== from && !allowed.includes(to))
      .map((to) => imports(`${from} imports ${to}`, `${home}/${from}`, `../${to}/thing.ts`)),
  )
}

const plants: Plant[] = [
  ...forbiddenPairs(client, clientFolders, ['exports']),
  ...forbiddenPairs(server, serverFolders, ['cli', 'exports']),
  imports('app imports cli', `${server}/app`, '../cli/thing.ts'),
  imports('operations imports gateway', `${server}/operations`, '../gateway/thing.ts'),
  imports('exit imports migrate', 'packages/exit/src', '../../migrate/src/thing.ts'),
  ...['core', 'accounts', 'web', 'signer', 'wallet', 'query', 'wagmi'].map((folder) =>
    imports(`${folder} imports react`, `${client}/${folder}`, 'react'),
  ),
  imports('wagmi imports wagmi', `${client}/wagmi`, 'wagmi'),
  imports('console imports the client', 'packages/console/src', 'latchkey'),
  imports('protocol imports a package', 'packages/protocol/src', 'viem'),
  imports('the client imports a Node module', `${client}/core`, 'node:fs', 'lint/correctness/noNodejsModules'),
  imports('a frame imports a Node module', 'packages/frames/src', 'node:fs', 'lint/correctness/noNodejsModules'),
  imports('react imports the server', `${client}/react`, 'latchkey-server', undeclared),
  imports('the server imports the client', `${server}/app`, 'latchkey/signer', undeclared),
  imports('a frame imports the client', 'packages/frames/src', 'latchkey/signer', undeclared),
  imports('exit imports the server', 'packages/exit/src', 'latchkey-server', undeclared),
  imports('migrate imports the devnet', 'packages/migrate/src', 'latchkey-dev', undeclared),
  imports('dev imports react', 'packages/dev/src', 'react', undeclared),
  imports('create imports a package', 'packages/create/src', 'latchkey', undeclared),
  ...['signer', 'wallet', 'query', 'wagmi'].map((folder) => ({
    name: `${folder} touches the page`,
    path: `${client}/${folder}/planted-global.ts`,
    code: 'export const planted: unknown = document\n',
    rule: 'lint/style/noRestrictedGlobals',
  })),
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

/** Files without a forbidden import. */
const clean = [
  ...Object.keys(clientFolders).map((folder) => `${client}/${folder}/thing.ts`),
  ...Object.keys(serverFolders).map((folder) => `${server}/${folder}/thing.ts`),
]

let copy: string

beforeAll(async () => {
  copy = await mkdtemp(join(tmpdir(), 'latchkey-boundaries-'))
  const config = JSON.parse(await readFile(join(root, 'biome.json'), 'utf8'))
  await put('biome.json', JSON.stringify({ ...config, vcs: { enabled: false } }))
  await cp(join(root, 'biome'), join(copy, 'biome'), { recursive: true })
  await symlink(join(root, 'node_modules'), join(copy, 'node_modules'))
  await put('tsconfig.base.json', await readFile(join(root, 'tsconfig.base.json'), 'utf8'))
  for (const name of ['protocol', 'latchkey', 'server', 'exit', 'migrate', 'dev', 'create', 'frames', 'console'])
    for (const file of ['package.json', 'tsconfig.json', 'tsconfig.headless.json'])
      await cp(join(root, 'packages', name, file), join(copy, 'packages', name, file)).catch(() => {})
  for (const [home, folders] of [
    [client, clientFolders],
    [server, serverFolders],
  ] as const)
    for (const [folder, allowed] of Object.entries(folders))
      await put(
        `${home}/${folder}/thing.ts`,
        [
          ...allowed.map((other) => `import { thing as ${other} } from '../${other}/thing.ts'`),
          `export const thing: readonly unknown[] = [${allowed.join(', ')}]\n`,
        ].join('\n'),
      )
  for (const path of [`${client}/exports`, `${server}/cli`, `${server}/exports`])
    await put(`${path}/thing.ts`, 'export const thing = 1\n')
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
    const options = ['lint', '--reporter=json', '--max-diagnostics=none']
    const { stdout } = await run(join(root, 'node_modules/.bin/biome'), options)
    const report = JSON.parse(stdout) as { diagnostics: { category: string; location: { path: unknown } }[] }
    diagnostics = report.diagnostics.map(({ category, location }) => ({
      category,
      path: JSON.stringify(location.path),
    }))
  })

  test.each(plants)('refuses: $name', ({ path, rule }) => {
    const found = diagnostics.filter((diagnostic) => diagnostic.path.includes(path)).map(({ category }) => category)
    expect(found).toContain(rule)
  })

  test('accepts imports that are allowed', () => {
    expect(diagnostics.filter(({ path }) => clean.some((file) => path.includes(file)))).toEqual([])
  })
})

test('TypeScript refuses an import from a project that is not referenced', async () => {
  const project = 'packages/latchkey/tsconfig.headless.json'
  const { stdout } = await run(join(root, 'node_modules/.bin/tsc'), ['-p', project, '--noEmit'])
  expect(stdout).toMatch(/error TS6307: File '\S*\/signer\/thing\.ts' is not listed/)
})

async function put(path: string, code: string): Promise<void> {
  await mkdir(dirname(join(copy, path)), { recursive: true })
  await writeFile(join(copy, path), code)
}

/** Runs a checker in the copy. Accepts any exit code, since the checker finds the planted violations. */
function run(command: string, args: string[]): Promise<{ stdout: string }> {
  return new Promise((done, fail) => {
    execFile(command, args, { cwd: copy, maxBuffer: 64e6, timeout: 110_000 }, (error, stdout) => {
      if (error && typeof error.code !== 'number') fail(error)
      else done({ stdout })
    })
  })
}
