import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { listen } from '../http/listen.ts'
import { framesApp } from './app.ts'
import { servedPage } from './servedPage.ts'

const pagesDir = mkdtempSync(join(tmpdir(), 'latchkey-test-served-'))
const html = `<meta name="latchkey-parent-origins" content="__PARENT_ORIGINS__" />
<meta name="latchkey-bundle-signing-key" content="__BUNDLE_SIGNING_KEY__" />
<script src="./main.js" integrity="sha256-x"></script>`
const hash = `sha256-${createHash('sha256').update(html).digest('base64')}`
const bundleSigningPublicKey =
  '041329d839daa4ea93069f313e6d5e15f106496fd5a5a355d7b133ce2ed6e9fe346c87572be0b1317597ef7ea4ddeb4a3670ec19b56aad6a041c983086f54b9585'
const project = {
  id: 'one',
  name: 'One',
  apiKey: 'key-of-one',
  redirectUrls: [],
  allowedOrigins: ['https://app.example'],
}

let served: Awaited<ReturnType<typeof listen>>
/** Put after the page, as somebody would who has the server. */
let added = ''
beforeAll(async () => {
  mkdirSync(join(pagesDir, 'export'))
  writeFileSync(join(pagesDir, 'export/index.html'), html)
  writeFileSync(join(pagesDir, 'hashes.json'), JSON.stringify({ 'export/index.html': hash }))
  const app = framesApp({
    projects: [project],
    page: 'export',
    pagesDir: join(pagesDir, 'export'),
    bundleSigningPublicKey,
  })
  const serve = async (request: Request) => new Response((await (await app.fetch(request)).text()) + added)
  served = await listen(serve, { port: 0 })
})
afterAll(async () => {
  await served?.close()
  rmSync(pagesDir, { recursive: true, force: true })
})

test('default', async () => {
  expect(await servedPage({ url: served.url, pagesDir })).toEqual({
    path: 'export/index.html',
    hash,
    isPublished: true,
    filledIn: { parentOrigins: 'https://app.example', bundleSigningKey: bundleSigningPublicKey },
  })
})

test('error: a page that is not the published one', async () => {
  added = '<script>steal()</script>'
  const found = await servedPage({ url: served.url, pagesDir })
  expect(found).toMatchObject({ path: served.url, isPublished: false })
  expect(found.hash).not.toBe(hash)
})

test('error: nobody answers', async () => {
  await expect(servedPage({ url: 'http://127.0.0.1:1', pagesDir })).rejects.toMatchObject({
    code: 'NETWORK_UNREACHABLE',
    message: expect.stringContaining("frame's server"),
  })
})
