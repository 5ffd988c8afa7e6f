import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { serveExample } from './serveExample.ts'

let folder: string
let served: serveExample.ReturnType

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'latchkey-test-'))
  mkdirSync(join(folder, 'page', 'assets'), { recursive: true })
  writeFileSync(join(folder, 'page', 'index.html'), '<!doctype html>wallet')
  writeFileSync(join(folder, 'page', 'assets', 'app.js'), 'run()\n'.repeat(1000))
  writeFileSync(join(folder, 'secret.txt'), 'secret')
  served = await serveExample({
    port: 0,
    config: { chainId: 31337 },
    connect: ['http://localhost:1'],
    frames: ['http://localhost:2'],
    folder: join(folder, 'page'),
  })
})
afterEach(async () => {
  await served.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Sends a request without normalizing the path and with any Host header, which `fetch` cannot do. */
function get(path: string, headers: Record<string, string> = {}): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const { port } = new URL(served.url)
    const asked = request(
      { host: '127.0.0.1', port, path, headers: { host: `localhost:${port}`, ...headers } },
      (response) => {
        let body = ''
        response.on('data', (chunk) => {
          body += chunk
        })
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body }))
      },
    )
    asked.on('error', reject)
    asked.end()
  })
}

test('serves page, assets and configuration with security headers', async () => {
  const page = await fetch(served.url)
  expect(await page.text()).toContain('wallet')
  expect(page.headers.get('content-security-policy')).toMatchInlineSnapshot(
    `"default-src 'self'; connect-src 'self' http://localhost:1; frame-src http://localhost:2; img-src 'self' data:; style-src 'self' 'unsafe-inline'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"`,
  )
  expect(page.headers.get('referrer-policy')).toBe('no-referrer')
  const script = await fetch(`${served.url}/assets/app.js`)
  expect(script.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
  expect(script.headers.get('content-encoding')).toBe('gzip')
  expect(await script.text()).toBe('run()\n'.repeat(1000))
  expect(await (await fetch(`${served.url}/config.json`)).json()).toEqual({ chainId: 31337 })
})

test('serves the page for its routes and 404 for a missing file', async () => {
  expect((await get('/send?bundle=abc')).body).toContain('wallet')
  expect((await get('/assets/gone.js')).status).toBe(404)
})

test.each(['/../secret.txt', '/..%2fsecret.txt', '/%2e%2e/secret.txt', '/assets/..%2f..%2fsecret.txt', '/%00'])(
  'serves nothing outside the folder (%s)',
  async (path) => {
    expect((await get(path)).body).not.toContain('secret')
  },
)

test('treats a name under localhost as its own origin on this machine', async () => {
  const { port } = new URL(served.url)
  const host = `app.localhost:${port}`
  expect((await get('/config.json', { host, origin: `http://${host}` })).status).toBe(200)
  expect((await get('/config.json', { host, origin: served.url })).status).toBe(403)
})

test('refuses another host name or origin', async () => {
  expect((await get('/config.json', { host: 'evil.example' })).status).toBe(421)
  expect((await get('/config.json', { origin: 'http://localhost:1' })).status).toBe(403)
})

test('reports a page that is not built', async () => {
  const options = { port: 0, config: {}, connect: [], frames: [], folder: join(folder, 'none') }
  await expect(serveExample(options)).rejects.toMatchObject({ code: 'CHILD_MISSING' })
})
