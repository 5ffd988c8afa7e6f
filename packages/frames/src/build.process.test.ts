import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const pages = ['auth', 'export', 'export-and-sign', 'import', 'oauth', 'paper-key']
const folder = mkdtempSync(join(tmpdir(), 'latchkey-test-frames-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function build(name: string, sources: string, env: NodeJS.ProcessEnv): Promise<Map<string, Buffer>> {
  const out = join(folder, name)
  await promisify(execFile)(process.execPath, [join(sources, 'packages/frames/build.mjs'), out], {
    cwd: sources,
    env: { ...process.env, ...env },
  })
  const files = readdirSync(out, { recursive: true, encoding: 'utf8' }).filter((path) => /\.[a-z]+$/.test(path))
  return new Map(files.sort().map((path) => [path, readFileSync(join(out, path))]))
}
const hashOf = (bytes: Buffer) => `sha256-${createHash('sha256').update(bytes).digest('base64')}`

let built: Map<string, Buffer>
beforeAll(async () => {
  built = await build('one', root, { TZ: 'UTC', LANG: 'C' })
})

test('builds the same bytes from the same sources anywhere', async () => {
  const copy = join(folder, 'a copy elsewhere')
  const frames = ['package.json', 'build.mjs', 'pages', 'src'].map((name) => `packages/frames/${name}`)
  for (const part of ['tsconfig.base.json', 'packages/protocol/src', ...frames])
    cpSync(join(root, part), join(copy, part), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  const again = await build('another', copy, { TZ: 'Asia/Tokyo', LANG: 'de_DE.UTF-8', NODE_ENV: 'development' })
  expect([...again.keys()]).toEqual([...built.keys()])
  for (const [path, bytes] of built) expect(again.get(path)?.equals(bytes), path).toBe(true)
  for (const [path, bytes] of built) expect(bytes.includes(root), path).toBe(false)
})

test('names every file in hashes.json and its hash in each page', () => {
  const hashes = JSON.parse(String(built.get('hashes.json'))) as Record<string, string>
  const files = [...built].filter(([path]) => path !== 'hashes.json')
  expect(hashes).toEqual(Object.fromEntries(files.map(([path, bytes]) => [path, hashOf(bytes)])))
  for (const page of pages) {
    const html = String(built.get(`${page}/index.html`))
    const loaded = [...html.matchAll(/(?:src|href)="\.\/([^"]+)" integrity="([^"]+)"/g)]
    expect(loaded.map(([, name]) => name?.replace(/.*\./, ''))).toEqual(['js', 'css'])
    for (const [, name, integrity] of loaded) expect(integrity).toBe(hashes[`${page}/${name}`])
    expect(html.match(/(?:src|href)=/g)).toHaveLength(2)
  }
})

/** Pages that contain secp256k1 and Keccak. The page of paper keys also contains the word list. */
const withKeys = ['export-and-sign', 'paper-key']
const limits = pages.map((page) => [page, withKeys.includes(page) ? 37_000 : 30_000] as const)

test.each(limits)('keeps the %s frame within %i bytes gzip', (page, limit) => {
  const bytes = [...built]
    .filter(([path]) => path.startsWith(`${page}/`))
    .map(([, content]) => gzipSync(content).length)
  expect(bytes).toHaveLength(3)
  expect(bytes.reduce((sum, length) => sum + length)).toBeLessThanOrEqual(limit)
})
