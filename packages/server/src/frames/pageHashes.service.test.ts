import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { listen } from '../platform/http/listen.ts'
import { framesApp } from './app.ts'
import { pageHashes, servedPage } from './pageHashes.ts'

const pagesDir = mkdtempSync(join(tmpdir(), 'latchkey-test-pages-'))
const toHash = (text: string) => `sha256-${createHash('sha256').update(text).digest('base64')}`
const write = (path: string, text: string) => writeFileSync(join(pagesDir, path), text)

beforeEach(() => {
  mkdirSync(join(pagesDir, 'auth'), { recursive: true })
  write('auth/main.js', 'start()')
  write('auth/index.html', '<p>')
  const hashes = { 'auth/index.html': toHash('<p>'), 'auth/main.js': toHash('start()') }
  write('hashes.json', JSON.stringify(hashes))
})
afterAll(() => rmSync(pagesDir, { recursive: true, force: true }))

test('accepts published files', () => {
  expect(pageHashes({ pagesDir })).toEqual([
    { path: 'auth/index.html', hash: toHash('<p>'), isPublished: true },
    { path: 'auth/main.js', hash: toHash('start()'), isPublished: true },
  ])
})

test('detects changed and added files', () => {
  write('auth/main.js', 'steal()')
  write('auth/more.js', '')
  const found = pageHashes({ pagesDir })
  expect(found.map(({ path, isPublished }) => [path, isPublished])).toEqual([
    ['auth/index.html', true],
    ['auth/main.js', false],
    ['auth/more.js', false],
  ])
  rmSync(join(pagesDir, 'auth/more.js'))
})

const servedDir = mkdtempSync(join(tmpdir(), 'latchkey-test-served-'))
const html = `<meta name="latchkey-parent-origins" content="__PARENT_ORIGINS__" />
<meta name="latchkey-bundle-signing-key" content="__BUNDLE_SIGNING_KEY__" />
<script src="./main.js" integrity="sha256-x"></script>`
const hash = toHash(html)
const bundleSigningPublicKey =
  '041329d839daa4ea93069f313e6d5e15f106496fd5a5a355d7b133ce2ed6e9fe346c87572be0b1317597ef7ea4ddeb4a3670ec19b56aad6a041c983086f54b9585'
const project = {
  id: 'one',
  name: 'One',
  apiKey: 'key-of-one',
  redirectUrls: [],
  allowedOrigins: ['https://app.example'],
}

/** Text that an attacker on the server adds to the page. */
let added = ''
mkdirSync(join(servedDir, 'export'))
writeFileSync(join(servedDir, 'export/index.html'), html)
writeFileSync(join(servedDir, 'hashes.json'), JSON.stringify({ 'export/index.html': hash }))
const app = framesApp({
  projects: [project],
  page: 'export',
  pagesDir: join(servedDir, 'export'),
  bundleSigningPublicKey,
})
const serve = async (request: Request) => new Response((await (await app.fetch(request)).text()) + added)
const served = await listen(serve, { port: 0 })
afterAll(async () => {
  await served.close()
  rmSync(servedDir, { recursive: true, force: true })
})

test('compares a served page with the published one', async () => {
  expect(await servedPage({ url: served.url, pagesDir: servedDir })).toEqual({
    path: 'export/index.html',
    hash,
    isPublished: true,
    filledIn: { parentOrigins: 'https://app.example', bundleSigningKey: bundleSigningPublicKey },
  })
})

test('detects a page that is not published', async () => {
  added = '<script>steal()</script>'
  const found = await servedPage({ url: served.url, pagesDir: servedDir })
  expect(found).toMatchObject({ path: served.url, isPublished: false })
  expect(found.hash).not.toBe(hash)
})
