import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { p256 } from '@noble/curves/nist.js'
import { afterAll, describe, expect, test } from 'vitest'
import { type FramePage, framesApp } from './app.ts'

const project = (id: string, ...allowedOrigins: string[]) => ({
  id,
  name: id,
  apiKey: `key-of-${id}`,
  redirectUrls: [],
  allowedOrigins,
})
const projects = [
  project('one', 'https://app.example', 'http://localhost:4100'),
  project('two', 'https://app.example/', 'https://other.example'),
]

const largeScript = 'start()\n'.repeat(1000)

const folder = await mkdtemp(join(tmpdir(), 'latchkey-test-frames-'))
const authPagesDir = join(folder, 'auth')
const exportPagesDir = join(folder, 'export')
await mkdir(join(authPagesDir, 'assets'), { recursive: true })
await writeFile(join(folder, 'secret.js'), 'secret')
await writeFile(join(authPagesDir, 'key.pem'), 'secret')
await symlink(join(folder, 'secret.js'), join(authPagesDir, 'linked.js'))
await writeFile(
  join(authPagesDir, 'index.html'),
  '<meta name="latchkey-parent-origins" content="__PARENT_ORIGINS__"><script src="main.js"></script>',
)
await mkdir(exportPagesDir)
await writeFile(
  join(exportPagesDir, 'index.html'),
  '<meta name="latchkey-bundle-signing-key" content="__BUNDLE_SIGNING_KEY__"><p>__PARENT_ORIGINS__',
)
await writeFile(join(authPagesDir, 'main.js'), 'start()')
await writeFile(join(authPagesDir, 'large.js'), largeScript)
await writeFile(join(authPagesDir, 'some-component.js'), 'part()')
await writeFile(join(authPagesDir, 'assets', 'style-BXq3_9fd.css'), 'body{}')
const app = framesApp({ projects, pagesDir: authPagesDir })

afterAll(async () => {
  await rm(folder, { recursive: true, force: true })
})

test('forbids embedding the frame of a server without projects', async () => {
  const response = await framesApp({ projects: [], pagesDir: authPagesDir }).request('/')
  expect(response.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
  expect(await response.text()).toContain('content=""')
})

test('serves the page with the origins of all projects', async () => {
  for (const path of ['/', '/index.html']) {
    const response = await app.request(path)
    expect(response.status).toBe(200)
    const origins = 'https://app.example http://localhost:4100 https://other.example'
    expect(await response.text()).toBe(
      `<meta name="latchkey-parent-origins" content="${origins}"><script src="main.js"></script>`,
    )
    expect(Object.fromEntries(response.headers)).toEqual({
      'cache-control': 'no-store',
      'content-security-policy': `default-src 'none'; script-src 'self'; style-src 'self'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'; frame-ancestors ${origins}`,
      'content-type': 'text/html; charset=utf-8',
      'cross-origin-embedder-policy': 'require-corp',
      'cross-origin-resource-policy': 'cross-origin',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    })
  }
})

test('restricts a page to the origins of the project in its URL', async () => {
  for (const path of ['/?project=one', '/index.html?project=one']) {
    const response = await app.request(path)
    expect(await response.text()).toContain('content="https://app.example http://localhost:4100"')
    expect(response.headers.get('content-security-policy')).toMatch(
      /frame-ancestors https:\/\/app.example http:\/\/localhost:4100$/,
    )
  }
  // Scripts are the same for every project.
  expect((await app.request('/main.js?project=nobody')).status).toBe(200)
})

test.each(['nobody', '', 'ONE', "one' or 'a'='a", 'one&project=two'])(
  'refuses an unknown project: %j',
  async (project) => {
    const response = await app.request(`/?project=${encodeURIComponent(project)}`)
    expect(response.status).toBe(404)
    expect(response.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
  },
)

test('serves the page of identity providers to the projects, in no frame', async () => {
  const served = framesApp({ projects: [project('one', 'https://one.example'), project('two', 'https://two.example')] })
  const response = await served.request('/oauth/?code=c&state=s')
  expect(response.status).toBe(200)
  expect(await response.text()).toContain('content="https://one.example https://two.example"')
  expect(response.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
  expect(response.headers.get('referrer-policy')).toBe('no-referrer')
  expect((await framesApp({ projects: [], page: 'auth' }).request('/oauth/nothing.js')).status).toBe(404)
})

test('takes the answer of a provider that posts a form, and nothing else of it', async () => {
  const served = framesApp({ projects: [project('one', 'https://one.example')] })
  const post = (form: Record<string, string>) =>
    served.request('/oauth/', { method: 'POST', body: new URLSearchParams(form) })
  const response = await post({ code: 'c&d', state: 's', user: '{"name":"Ann"}', id_token: 'secret' })
  expect(response.status).toBe(303)
  expect(response.headers.get('location')).toBe('/oauth/?code=c%26d&state=s')
  expect(response.headers.get('cache-control')).toBe('no-store')
  expect((await post({ error: 'user_cancelled_authorize', state: 's' })).headers.get('location')).toBe(
    '/oauth/?state=s&error=user_cancelled_authorize',
  )
  expect((await post({ code: 'x'.repeat(20_000) })).status).toBe(413)
})

describe('the page that signs', () => {
  const signing = (id: string, frameSigning?: 'off' | 'on') => ({
    ...project(id, `https://${id}.example`),
    frameSigning,
  })
  const bundleSigningPublicKey = Buffer.from(p256.getPublicKey(p256.utils.randomSecretKey(), false)).toString('hex')
  const serve = (projects: ReturnType<typeof signing>[], page: FramePage = 'export') =>
    framesApp({ projects, page, bundleSigningPublicKey })

  test('is absent by default and on other frames', async () => {
    for (const served of [serve([signing('one'), signing('two', 'off')]), serve([signing('one', 'on')], 'import')])
      for (const path of ['/export-and-sign', '/export-and-sign/', '/export-and-sign?project=one'])
        expect((await served.request(path)).status).toBe(404)
  })

  test('is served only for projects that enable it, with the headers of every frame', async () => {
    const served = serve([signing('one'), signing('two', 'on')])
    for (const path of ['/export-and-sign', '/export-and-sign/', '/export-and-sign/index.html?project=two']) {
      const response = await served.request(path)
      expect([path, response.status]).toEqual([path, 200])
      const usual = await served.request('/?project=two')
      expect(Object.fromEntries(response.headers)).toEqual(Object.fromEntries(usual.headers))
      const html = await response.text()
      expect(html).toContain('content="https://two.example"')
      expect(html).toContain(bundleSigningPublicKey)
      for (const [, name] of html.matchAll(/(?:src|href)="\.\/([^"]+)"/g)) {
        const file = await served.request(new URL(name ?? '', new URL(path, 'http://x')).pathname)
        expect([name, file.status]).toEqual([name, 200])
        expect(file.headers.get('cache-control')).not.toBe('no-store')
      }
    }
    expect((await served.request('/export-and-sign?project=one')).status).toBe(404)
    expect((await served.request('/export-and-sign?project=none')).status).toBe(404)
    expect(await (await served.request('/?project=one')).text()).toContain('Latchkey export frame')
  })
})

test('compresses a large file for clients that accept it, under separate etags', async () => {
  const ask = (headers: Record<string, string>) => app.request('/large.js', { headers })
  const packed = await ask({ 'accept-encoding': 'br, gzip' })
  expect(packed.headers.get('content-encoding')).toBe('gzip')
  expect(packed.headers.get('vary')).toBe('accept-encoding')
  const bytes = new Uint8Array(await packed.arrayBuffer())
  expect(bytes.length).toBeLessThan(largeScript.length / 10)
  expect(gunzipSync(bytes).toString()).toBe(largeScript)
  for (const encoding of ['', 'gzip;q=0', 'br']) {
    const plain = await ask({ 'accept-encoding': encoding })
    expect([plain.headers.get('content-encoding'), await plain.text()]).toEqual([null, largeScript])
    expect(plain.headers.get('etag')).not.toBe(packed.headers.get('etag'))
  }
  const known = { 'if-none-match': packed.headers.get('etag') ?? '' }
  expect((await ask({ 'accept-encoding': 'gzip', ...known })).status).toBe(304)
  expect((await ask(known)).status).toBe(200)
  const small = await app.request('/main.js', { headers: { 'accept-encoding': 'gzip' } })
  expect(small.headers.has('content-encoding')).toBe(false)
})

test('caches files named by content and revalidates others', async () => {
  const style = await app.request('/assets/style-BXq3_9fd.css')
  expect(style.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
  expect(style.headers.get('content-type')).toBe('text/css; charset=utf-8')
  expect(style.headers.get('access-control-allow-origin')).toBe('*')

  // This long name contains no hash.
  const module = await app.request('/some-component.js')
  expect(module.headers.get('cache-control')).toBe('no-cache')
  const script = await app.request('/main.js')
  expect(script.headers.get('cache-control')).toBe('no-cache')
  expect(await script.text()).toBe('start()')
  const etag = script.headers.get('etag') ?? ''
  const again = await app.request('/main.js', { headers: { 'if-none-match': `W/${etag}` } })
  expect(again.status).toBe(304)
  expect(await again.text()).toBe('')
  expect((await app.request('/main.js', { headers: { 'if-none-match': '"other"' } })).status).toBe(200)
})

test.each([
  '/missing.js',
  '/key.pem',
  '/linked.js',
  '/../secret.js',
  '/%2e%2e/secret.js',
  '/..%2fsecret.js',
  '/assets',
  '/assets/',
  '//evil.example',
])('does not serve %s', async (path) => {
  const response = await app.request(`http://localhost${path}`)
  expect(response.status).toBe(404)
  expect(response.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
  expect(await response.text()).toBe('Not found')
})

const bundleSigningPublicKey =
  '041329d839daa4ea93069f313e6d5e15f106496fd5a5a355d7b133ce2ed6e9fe346c87572be0b1317597ef7ea4ddeb4a3670ec19b56aad6a041c983086f54b9585'

test('serves the page and files of one frame', async () => {
  const key = bundleSigningPublicKey.toUpperCase()
  const exportProjects = [project('one', 'https://app.example'), project('two', 'https://app.example')]
  const exporting = { page: 'export', pagesDir: exportPagesDir, bundleSigningPublicKey: key } as const
  const exportApp = framesApp({ projects: exportProjects, ...exporting })
  const response = await exportApp.request('/')
  expect(await response.text()).toBe(
    `<meta name="latchkey-bundle-signing-key" content="${bundleSigningPublicKey}"><p>https://app.example`,
  )
  expect(response.headers.get('cache-control')).toBe('no-store')
  expect(response.headers.get('content-security-policy')).toContain('frame-ancestors https://app.example')
  expect((await exportApp.request('/main.js')).status).toBe(404)
  expect((await app.request('/main.js')).status).toBe(200)
})

test('refuses pages that show a secret without a key to trust', () => {
  const point = bundleSigningPublicKey
  for (const key of [undefined, '', `02${point.slice(2, 66)}`, point.slice(2), `${point.slice(0, -2)}86`, '__KEY__'])
    expect(
      () => framesApp({ projects, page: 'export', pagesDir: exportPagesDir, bundleSigningPublicKey: key }),
      String(key),
    ).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringContaining('bundleSigningPublicKey') }),
    )
  const confirming = { projects, page: 'auth', pagesDir: authPagesDir, custodyUrl: 'https://custody.example' } as const
  expect(() => framesApp(confirming)).toThrow('bundleSigningPublicKey')
  const wrongPage = { pagesDir: authPagesDir, bundleSigningPublicKey }
  expect(() => framesApp({ projects, page: 'export', ...wrongPage })).toThrow('has no __BUNDLE_SIGNING_KEY__')
})

describe('the page that makes paper keys', () => {
  const bundleSigningPublicKey = Buffer.from(p256.getPublicKey(p256.utils.randomSecretKey(), false)).toString('hex')
  const serve = (page: FramePage) =>
    framesApp({ projects: [project('one', 'https://one.example')], page, bundleSigningPublicKey })

  test('is served on the export frame only, with its headers and the origins of the project', async () => {
    const served = serve('export')
    const response = await served.request('/paper-key?project=one')
    const usual = await served.request('/?project=one')
    expect(response.status).toBe(200)
    expect(Object.fromEntries(response.headers)).toEqual(Object.fromEntries(usual.headers))
    const html = await response.text()
    expect(html).toContain('content="https://one.example"')
    for (const [, name] of html.matchAll(/(?:src|href)="\.\/([^"]+)"/g))
      expect([name, (await served.request(`/${name}`)).status]).toEqual([name, 200])
    expect((await served.request('/paper-key?project=none')).status).toBe(404)
    expect((await serve('import').request('/paper-key')).status).toBe(404)
  })
})
