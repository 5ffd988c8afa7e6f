import { execFileSync, spawn } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { removeData } from '../packages/dev/src/database/dataLocation.ts'
import { freePorts, isPortFree } from '../packages/dev/src/world/freePorts.ts'
import { portCount } from '../packages/dev/src/world/worldPorts.ts'
import { measureFirstLoad } from './firstLoad.ts'
import { runInPage } from './runInPage.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const packages = ['latchkey', 'server', 'dev'] as const
type PackageName = (typeof packages)[number]

let folder: string
const tarballs = {} as Record<PackageName, string>
type Size = { entryCount: number; unpackedSize: number }
const sizes = {} as Record<PackageName, Size>

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'latchkey-tarballs-'))
  chmodSync(folder, 0o711)
  for (const name of packages) {
    const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder]
    const packed = npm(args, name === 'latchkey' ? bundled() : join(root, 'packages', name))
    const [{ filename, ...size }] = JSON.parse(packed) as [Size & { filename: string }]
    tarballs[name] = join(folder, filename)
    sizes[name] = size
    mkdirSync(join(folder, name))
    execFileSync('tar', ['-xzf', tarballs[name], '-C', join(folder, name), '--strip-components=1'])
  }
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** The folder that is published of `latchkey`. */
function bundled(): string {
  const args = [join(root, 'scripts/lib/pack.mjs')]
  return execFileSync(process.execPath, args, { cwd: root, encoding: 'utf8', timeout: 120_000 }).trim()
}

function npm(args: string[], cwd: string): string {
  const script = process.env.npm_execpath
  const [program, first] = script ? [process.execPath, [script]] : ['npm', []]
  const env = { ...process.env, npm_config_loglevel: 'error' }
  return execFileSync(program, [...first, ...args], {
    cwd,
    env,
    encoding: 'utf8',
    maxBuffer: 1 << 26,
    timeout: 500_000,
  })
}

function filesOf(name: PackageName): string[] {
  const paths = readdirSync(join(folder, name), { recursive: true, encoding: 'utf8' })
  return paths.filter((path) => statSync(join(folder, name, path)).isFile()).sort()
}

const textOf = (name: PackageName, path: string): string => readFileSync(join(folder, name, path), 'latin1')

test('default', () => {
  expect(filesOf('latchkey')).toEqual(
    expect.arrayContaining(['package.json', 'dist/index.js', 'dist/react.d.ts', 'styles/styles.css']),
  )
  expect(filesOf('server')).toEqual(
    expect.arrayContaining(['dist/exports/index.js', 'dist/cli/main.js', 'pages/auth/index.html']),
  )
  expect(filesOf('dev')).toEqual(
    expect.arrayContaining([
      'dist/cli/main.js',
      'dist/exports/testing.js',
      'artifacts/Demo.json',
      'example/index.html',
    ]),
  )
})

test.each(packages)('behavior: %s carries no tests, build notes or secrets', (name) => {
  const unwanted = /\.test(-d)?\.|tsconfig|tsbuildinfo|secrets\.json|\.latchkey|node_modules|\.env/
  expect(filesOf(name).filter((path) => unwanted.test(path))).toEqual([])
})

test('behavior: latchkey is few files, without sources and source maps', () => {
  expect(sizes.latchkey.entryCount).toBeLessThanOrEqual(100)
  expect(sizes.latchkey.unpackedSize).toBeLessThanOrEqual(1_000_000)
  expect(filesOf('latchkey').filter((path) => /^src\/|\.map$/.test(path))).toEqual([])
})

test('behavior: only what React needs is marked for the client, and no other subpath imports React', () => {
  const entries = filesOf('latchkey').filter((path) => /^dist\/\w+\.js$/.test(path))
  const marked = entries.filter((path) => /^["']use client["']/.test(textOf('latchkey', path)))
  expect(marked).toEqual(['dist/react.js'])
  const importsReact = (path: string) => importedFiles(path).some((file) => / from ["']react["']/.test(file))
  expect(entries.filter(importsReact)).toEqual(['dist/react.js'])
})

/** Texts of a file and of all that it imports at once. */
function importedFiles(path: string, seen = new Set<string>()): string[] {
  if (seen.has(path)) return []
  seen.add(path)
  const text = textOf('latchkey', path)
  const next = [...text.matchAll(/^(?:import|export)[^;]*? from ["'](\.[^"']+)["']/gm)].map(([, to = '']) =>
    join(path, '..', to),
  )
  return [text, ...next.flatMap((file) => importedFiles(file, seen))]
}

test('behavior: the budgets of the first load hold from the tarball', async () => {
  // Inside of the repository, where React is.
  const page = join(root, '.cache/tarball-page')
  rmSync(page, { recursive: true, force: true })
  cpSync(join(folder, 'latchkey'), join(page, 'node_modules/latchkey'), { recursive: true })
  const { overBase, initial, beforeClick, all } = await measureFirstLoad(page)
  expect(overBase).toBeLessThanOrEqual(11)
  expect(initial).toBeLessThanOrEqual(92)
  expect(beforeClick).toBeLessThanOrEqual(95)
  // Entries share their chunks in a package, so that a sign-in loads some of what modular accounts need, too.
  expect(all).toBeLessThanOrEqual((await measureFirstLoad(root)).all + 4)
})

test.each([
  ['publint', '--strict'],
  ['attw', '--profile', 'esm-only', '--no-emoji'],
])('behavior: %s finds nothing', (name, ...args) => {
  const program = join(root, 'e2e/packaging/node_modules/.bin', name)
  // Throws with what it prints, if anything.
  execFileSync(program, [tarballs.latchkey, ...args], { encoding: 'utf8', timeout: 120_000 })
})

test.each(packages)('behavior: every export and program of %s is in its tarball', (name) => {
  const manifest = JSON.parse(textOf(name, 'package.json')) as {
    exports: Record<string, string | Record<string, string>>
    bin?: Record<string, string>
  }
  const targets = Object.values(manifest.exports).flatMap((entry) =>
    typeof entry === 'string' ? entry : Object.values(entry),
  )
  const files = new Set(filesOf(name))
  const missing = [...targets, ...Object.values(manifest.bin ?? {})].filter(
    (path) => !files.has(path.replace('./', '')),
  )
  expect(missing).toEqual([])
})

/**
 * Pieces of 256 bytes, one every 64, of the code of contracts under the GPL. The same call of the same interface makes
 * any compiler write up to some 110 equal bytes, so shorter pieces would accuse the innocent.
 */
function gplPieces(): string[] {
  const require = createRequire(join(root, 'packages/dev/package.json'))
  return ['06', '07'].flatMap((version) =>
    ['EntryPoint', 'VerifyingPaymaster'].flatMap((name) => {
      const path = require.resolve(`@account-abstraction/contracts-v${version}/artifacts/${name}.json`)
      const { bytecode } = JSON.parse(readFileSync(path, 'utf8')) as { bytecode: string }
      const count = Math.floor((bytecode.length - 2 - 512) / 128)
      return Array.from({ length: count }, (_, index) =>
        bytecode.slice(2 + index * 128, 514 + index * 128).toLowerCase(),
      )
    }),
  )
}

const gplText = /SPDX-License-Identifier:\s*(A|L)?GPL|GNU (AFFERO |LESSER )?GENERAL PUBLIC LICENSE/i

test('behavior: the search for GPL code finds it where it is', () => {
  const pieces = gplPieces()
  expect(pieces.length).toBeGreaterThan(500)
  const shipped = `{"bytecode":"0x6001${pieces[300]}6002"}`
  expect(pieces.some((piece) => shipped.includes(piece))).toBe(true)
  expect(gplText.test('// SPDX-License-Identifier: GPL-3.0')).toBe(true)
})

test.each(packages)('behavior: %s holds no GPL code or bytecode', (name) => {
  const pieces = gplPieces()
  const bad = filesOf(name).filter((path) => {
    const text = textOf(name, path)
    return gplText.test(text) || pieces.some((piece) => text.toLowerCase().includes(piece))
  })
  expect(bad).toEqual([])
})

/** Uses accounts and nothing else; says what came out, in a page or on a terminal. */
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

test('behavior: accounts alone work, installed, in a Node script and in a page Vite built', async () => {
  const home = join(folder, 'accounts')
  mkdirSync(home)
  writeFileSync(join(home, 'package.json'), JSON.stringify({ name: 'accounts', private: true, type: 'module' }))
  npm(['install', '--no-audit', '--no-fund', '--prefer-offline', tarballs.latchkey, 'viem@2.57.1'], home)
  writeFileSync(join(home, 'accounts.js'), accountsAlone)
  const expected = '0x11c50cCe08Ff4ca8294592E282442a3f0A38cFd9 0x6ef8bb149c4422a33f87eF6A406B601D8F964b65 134'
  expect(execFileSync(process.execPath, ['accounts.js'], { cwd: home, encoding: 'utf8' }).trim()).toBe(expected)
  expect(await runInPage(home, 'accounts.js')).toBe(expected)
})

test('behavior: a stranger installs them and starts the world', { timeout: 900_000 }, async () => {
  const home = join(folder, 'stranger')
  mkdirSync(home)
  writeFileSync(join(home, 'package.json'), JSON.stringify({ name: 'stranger', private: true, type: 'module' }))
  const files = packages.map((name) => tarballs[name])
  npm(['install', '--no-audit', '--no-fund', '--prefer-offline', ...files, 'viem@2.57.1'], home)
  const base = await freePorts(portCount)
  const child = spawn('npx', ['latchkey-dev', '--json', '--port-base', String(base), '--data-dir', 'world'], {
    cwd: home,
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own, so that the signal reaches what npx started, as Ctrl-C does.
    detached: true,
  })
  const ended = new Promise((resolve) => child.once('close', resolve))
  try {
    const world = await firstLine(child)
    expect(world.urls.wallet).toBe(`http://localhost:${base}`)
    expect(await (await fetch(world.urls.wallet)).text()).toContain('<div id="root">')
    expect(await (await fetch(`${world.urls.signerApi}/signer/v1/config`)).json()).toHaveProperty('rootOrgId')
  } finally {
    if (child.pid) process.kill(-child.pid, 'SIGINT')
    await ended
    removeData(join(home, 'world'))
  }
  for (const offset of [0, 1, 9, 10, 11]) expect(await isPortFree(base + offset)).toBe(true)
})

class NotStarted extends Error {}

function firstLine(child: ReturnType<typeof spawn>): Promise<{ urls: Record<'wallet' | 'signerApi', string> }> {
  return new Promise((resolve, reject) => {
    let [stdout, stderr] = ['', '']
    child.stdout?.on('data', (chunk: Buffer) => {
      stdout += chunk.toString()
      if (stdout.includes('\n')) resolve(JSON.parse(stdout))
    })
    child.stderr?.on('data', (chunk: Buffer) => {
      stderr += chunk.toString()
    })
    child.once('close', () => reject(new NotStarted(stderr)))
  })
}
