import { execFile, execFileSync, spawn } from 'node:child_process'
import { createECDH } from 'node:crypto'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePorts } from '../../packages/dev/src/devnet/freePorts.ts'
import { measureFirstLoad, measureSignIn } from '../firstLoad.ts'
import { runInPage } from './runInPage.ts'
import { type PackageName, packageNames, packTarballs, runNpm, type Tarball } from './strangersApp.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
let folder: string
let tarballs: Record<PackageName, Tarball>

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'latchkey-tarballs-'))
  chmodSync(folder, 0o711)
  tarballs = packTarballs(root, folder)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function filesOf(name: PackageName): string[] {
  const paths = readdirSync(join(folder, name), { recursive: true, encoding: 'utf8' })
  return paths.filter((path) => statSync(join(folder, name, path)).isFile()).sort()
}

const textOf = (name: PackageName, path: string): string => readFileSync(join(folder, name, path), 'latin1')

test.each(packageNames)('packs %s without tests, build notes or secrets', (name) => {
  const unwanted = /\.test(-d)?\.|tsconfig|tsbuildinfo|secrets\.json|\.latchkey|node_modules|\.env/
  const ours = filesOf(name).filter((path) => !path.startsWith('templates/'))
  expect(ours.filter((path) => unwanted.test(path))).toEqual([])
})

test('packs latchkey into few files, with the sources that its types lead to', () => {
  // Each subpath has about a dozen files: its entry, its types and its lazy chunks.
  const { exports } = JSON.parse(textOf('latchkey', 'package.json')) as { exports: Record<string, unknown> }
  const subpaths = Object.keys(exports).filter((path) => !/\.(css|json)$/.test(path))
  const isForEditors = (path: string) => /^src\/|\.d\.ts\.map$/.test(path)
  const files = filesOf('latchkey').filter((path) => !isForEditors(path))
  expect(files.length).toBeLessThanOrEqual(14 * subpaths.length)
  expect(files.filter((path) => path.endsWith('.map'))).toEqual([])
  const sizes = files.map((path) => statSync(join(folder, 'latchkey', path)).size)
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(1_450_000)
  expect(tarballs.latchkey.unpackedSize).toBeLessThanOrEqual(2_500_000)
})

test('leads an editor from an import to the source', () => {
  const home = join(folder, 'editor')
  mkdirSync(join(home, 'node_modules'), { recursive: true })
  cpSync(join(folder, 'latchkey'), join(home, 'node_modules/latchkey'), { recursive: true })
  const file = join(home, 'app.ts')
  const content = "import { createConfig } from 'latchkey'\nimport { errorCodes } from 'latchkey/wire'\n"
  writeFileSync(file, content)
  const ask = (seq: number, command: string, args: object) =>
    `${JSON.stringify({ seq, type: 'request', command, arguments: args })}\n`
  const input = [
    ask(1, 'compilerOptionsForInferredProjects', { options: { module: 'nodenext', target: 'esnext' } }),
    ask(2, 'open', { file }),
    ask(3, 'definition', { file, line: 1, offset: 12 }),
    ask(4, 'definition', { file, line: 2, offset: 12 }),
  ].join('')
  const tsserver = join(root, 'e2e/packaging/node_modules/typescript/lib/tsserver.js')
  const output = execFileSync(process.execPath, [tsserver, '--disableAutomaticTypingAcquisition'], {
    input,
    encoding: 'utf8',
    timeout: 60_000,
  })
  const answers = output
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Answer)
  const places = answers.filter(({ command }) => command === 'definition').map(({ body }) => body?.[0])
  const found = places.map((place) => {
    const path = place?.file ?? ''
    return [path.split('node_modules/')[1], readFileSync(path, 'utf8').split('\n')[(place?.start.line ?? 0) - 1]]
  })
  expect(found).toEqual([
    ['latchkey/src/wallet/createConfig.ts', expect.stringContaining('export function createConfig')],
    ['latchkey/src/protocol/errorCodes.ts', expect.stringContaining('export const errorCodes')],
  ])
})

type Answer = { command?: string; body?: { file: string; start: { line: number } }[] }

test('marks only the React subpath for the client, and no other one imports React', () => {
  const entries = filesOf('latchkey').filter((path) => /^dist\/\w+\.js$/.test(path))
  const marked = entries.filter((path) => /^["']use client["']/.test(textOf('latchkey', path)))
  expect(marked).toEqual(['dist/react.js'])
  const importsReact = (path: string) => importedFiles(path).some((file) => / from ["']react["']/.test(file))
  expect(entries.filter(importsReact)).toEqual(['dist/react.js'])
})

function importedFiles(path: string, seen = new Set<string>()): string[] {
  if (seen.has(path)) return []
  seen.add(path)
  const text = textOf('latchkey', path)
  const next = [...text.matchAll(/^(?:import|export)[^;]*? from ["'](\.[^"']+)["']/gm)].map(([, to = '']) =>
    join(path, '..', to),
  )
  return [text, ...next.flatMap((file) => importedFiles(file, seen))]
}

test('keeps the budgets of the first load in the tarball', async () => {
  // React is resolved from the repository.
  const page = join(root, '.cache/tarball-page')
  rmSync(page, { recursive: true, force: true })
  cpSync(join(folder, 'latchkey'), join(page, 'node_modules/latchkey'), { recursive: true })
  const { overBase, initial, beforeClick, all } = await measureFirstLoad(page)
  expect(overBase).toBeLessThanOrEqual(11.6)
  expect(initial).toBeLessThanOrEqual(92.5)
  expect(beforeClick).toBeLessThanOrEqual(95)
  expect(all).toBeLessThanOrEqual(193)
  // The package's entries share chunks, so sign-in could start to load code that only another entry needs.
  expect(all).toBeLessThanOrEqual((await measureSignIn(root)) + 1)
})

const attw = ['attw', '--profile', 'esm-only', '--no-emoji']

test.each<[PackageName, ...string[]]>([
  ...packageNames.map((name): [PackageName, ...string[]] => [name, 'publint', '--strict']),
  // create-latchkey has no entry that can be imported.
  ['protocol', ...attw],
  ['latchkey', ...attw],
  ['server', ...attw],
  ['exit', ...attw],
  ['migrate', ...attw],
  ['dev', ...attw],
])('finds nothing in %s with %s', (name, tool = '', ...args) => {
  const program = join(root, 'e2e/packaging/node_modules/.bin', tool)
  // If the program fails, the error contains its output.
  execFileSync(program, [tarballs[name].path, ...args], { encoding: 'utf8', timeout: 120_000 })
})

/**
 * Returns overlapping 256-byte slices of the GPL bytecode, one every 64 bytes. Unrelated contracts can share up to 110
 * bytes, so shorter slices would also match other code.
 */
function gplPieces(): string[] {
  const modules = join(root, 'packages/dev/third-party/node_modules/@account-abstraction')
  return ['06', '07'].flatMap((version) =>
    ['EntryPoint', 'VerifyingPaymaster'].flatMap((name) => {
      const path = join(modules, `contracts-v${version}/artifacts/${name}.json`)
      const { bytecode } = JSON.parse(readFileSync(path, 'utf8')) as { bytecode: string }
      const count = Math.floor((bytecode.length - 2 - 512) / 128)
      return Array.from({ length: count }, (_, index) =>
        bytecode.slice(2 + index * 128, 514 + index * 128).toLowerCase(),
      )
    }),
  )
}

const gplText = /SPDX-License-Identifier:\s*(A|L)?GPL|GNU (AFFERO |LESSER )?GENERAL PUBLIC LICENSE/i

test('recognizes planted GPL code', () => {
  const pieces = gplPieces()
  expect(pieces.length).toBeGreaterThan(500)
  const shipped = `{"bytecode":"0x6001${pieces[300]}6002"}`
  expect(pieces.some((piece) => shipped.includes(piece))).toBe(true)
  expect(gplText.test('// SPDX-License-Identifier: GPL-3.0')).toBe(true)
})

test.each(packageNames)('packs no GPL code or bytecode into %s', (name) => {
  const pieces = gplPieces()
  const bad = filesOf(name).filter((path) => {
    const text = textOf(name, path)
    const code = text.toLowerCase()
    return gplText.test(text) || pieces.some((piece) => code.includes(piece))
  })
  expect(bad).toEqual([])
})

/** Supported versions of Node, oldest to newest. The tests use those that npm could install. */
const nodeVersions = [
  ['node20', 'v20.19.0'],
  ['node22', 'v22.23.3'],
  ['node24', 'v24.21.0'],
]
const nodes = [
  ...nodeVersions.map(([name = '', version = '']) => ({
    path: join(root, `e2e/packaging/node_modules/${name}/bin/node`),
    version,
  })),
  { path: process.execPath, version: process.version },
].filter(({ path }) => existsSync(path))

const accountsAlone = `
import { predictMultiOwnerLightAccountAddress, toLightAccount } from 'latchkey/accounts'
import { sepolia } from 'latchkey/chains'
import { createClient, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'

const owner = privateKeyToAccount('0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80')
const client = createClient({ chain: sepolia, transport: http('http://127.0.0.1:9') })
const { address, signMessage } = await toLightAccount({ client, owner, version: 'v2.0.0' })
const shared = predictMultiOwnerLightAccountAddress({ owners: [owner.address] })
const text = [address, shared, (await signMessage({ message: 'hello' })).length].join(' ')
if (globalThis.document) document.querySelector('main').textContent = text
else console.log(text)
`

test('runs accounts alone in a Node script and in a page built by Vite', async () => {
  const home = join(folder, 'accounts')
  mkdirSync(home)
  writeFileSync(join(home, 'package.json'), JSON.stringify({ name: 'accounts', private: true, type: 'module' }))
  runNpm(['install', '--no-audit', '--no-fund', '--prefer-offline', tarballs.latchkey.path, 'viem@2.57.1'], home)
  writeFileSync(join(home, 'accounts.js'), accountsAlone)
  const expected = '0x11c50cCe08Ff4ca8294592E282442a3f0A38cFd9 0x6ef8bb149c4422a33f87eF6A406B601D8F964b65 134'
  for (const { path, version } of nodes) {
    expect(execFileSync(path, ['--version'], { encoding: 'utf8' }).trim()).toBe(version)
    expect(execFileSync(path, ['accounts.js'], { cwd: home, encoding: 'utf8' }).trim(), version).toBe(expected)
  }
  expect(await runInPage(home, 'accounts.js')).toBe(expected)
})

test('builds a server from deploy/Dockerfile that starts and passes its health check', {
  timeout: 400_000,
}, async () => {
  const file = readFileSync(join(root, 'deploy/Dockerfile'), 'utf8')
  const list = (instruction: string) =>
    [...file.matchAll(new RegExp(`^(?:HEALTHCHECK .*)?${instruction} (.+)$`, 'gm'))].map(([, text = '']) => text)
  const [nodeImage, omitted = ''] = list('ARG').map((text) => text.split('=')[1] ?? '')
  expect(list('USER')).toEqual(['1000:1000'])
  // The packaging tests must cover the image's version of Node.
  expect(nodeVersions.map(([, version = '']) => `node:${version.slice(1)}-bookworm-slim`)).toContain(nodeImage)
  const [pack, install = '', describe = '', unpack = ''] = list('RUN')
  // The Dockerfile installs the tarballs that `npm run pack` creates.
  expect(pack).toBe('npm run pack')
  const home = join(folder, 'image')
  cpSync(join(root, 'deploy/image'), home, { recursive: true })
  runNpm(
    [
      ...install
        .replace(/\$\{OMIT\}/, omitted)
        .split(' ')
        .slice(1),
      '--prefer-offline',
    ],
    home,
  )
  execFileSync('sh', ['-c', describe.replaceAll(`\${OMIT}`, omitted)], { cwd: home })
  const { components } = JSON.parse(readFileSync(join(home, 'sbom.cdx.json'), 'utf8')) as {
    components: { name: string }[]
  }
  expect(components.map(({ name }) => name)).toEqual(expect.arrayContaining(['hono', 'pg', 'viem']))
  execFileSync('sh', ['-c', unpack.replaceAll('/tarballs', folder)], { cwd: home })
  expect(readdirSync(join(home, 'node_modules'))).toContain('latchkey-protocol')
  // The server stores keys, so no browser code may be installed with it.
  const inBrowsers = /^(?:latchkey|react|react-dom|zustand|@tanstack)$/
  expect(readdirSync(join(home, 'node_modules')).filter((name) => inBrowsers.test(name))).toEqual([])
  // The server must refuse the API key of the example configuration.
  const projects = readFileSync(join(root, 'deploy/kubernetes/files/projects.json'), 'utf8')
  writeFileSync(join(home, 'projects.json'), projects.replace('REPLACE', 'a key of this test'))
  const port = await freePorts(2)
  const env = {
    PATH: process.env.PATH ?? '',
    ...Object.fromEntries((list('ENV')[0] ?? '').split(' ').map((pair) => pair.split('='))),
    LATCHKEY_ROLES: 'frames',
    LATCHKEY_ROOT_ORGANIZATION_ID: crypto.randomUUID(),
    LATCHKEY_PROJECTS_FILE: join(home, 'projects.json'),
    LATCHKEY_CUSTODY_URL: 'https://custody.example.com',
    LATCHKEY_BUNDLE_SIGNING_PUBLIC_KEY: createECDH('prime256v1').generateKeys('hex'),
    LATCHKEY_PORT: String(port),
    LATCHKEY_METRICS_PORT: String(port + 1),
  }
  const inside = (json: string | undefined) =>
    (JSON.parse(json ?? '[]') as string[]).map((text) => text.replace('/app', home))
  const [program = '', ...args] = [...inside(list('ENTRYPOINT')[0]), ...inside(list('CMD').at(-1))]
  const check = inside(list('CMD')[0])
  expect(check[0]).toBe('node')
  const isHealthy = () =>
    promisify(execFile)('node', check.slice(1), { env }).then(
      () => true,
      () => false,
    )
  expect(await isHealthy()).toBe(false)
  const server = spawn(program, args, { cwd: home, env, stdio: 'pipe' })
  const ended = new Promise<number | null>((resolve) => server.once('close', resolve))
  try {
    await expect.poll(isHealthy).toBe(true)
  } finally {
    server.kill('SIGTERM')
  }
  expect(await ended).toBe(0)
})
