import { createServer as createHttpServer, type RequestListener } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { buildScript } from '@latchkey/testkit/buildScript'
import { localhostCertificate } from '@latchkey/testkit/localhostCertificate'
import { test } from '@latchkey/testkit/worker'
import type { Browser } from 'playwright-core'
import { expect } from 'vitest'
import { latchkeyDev } from '../../core/chains/latchkeyDev.ts'

const name = 'alchemy-account-state'

let browser: Browser
let script: string

test.beforeAll(async ({ browser: launched }) => {
  browser = launched
  const entry = new URL('../../../../testkit/src/wallet/cookiePage.ts', import.meta.url)
  const conditions = ['@latchkey/source', 'module', 'browser', 'default']
  script = await buildScript(entry, { resolve: { conditions } })
})

test.each([
  ['https', true, (listener: RequestListener) => createHttpsServer(localhostCertificate, listener)],
  ['http', false, (listener: RequestListener) => createHttpServer(listener)],
] as const)('sets the cookie over %s with Secure: %s', async (protocol, secure, create) => {
  const received: (string | undefined)[] = []
  const server = create((request, response) => {
    received.push(request.headers.cookie)
    response.setHeader('content-type', 'text/html')
    response.end(`<!doctype html><link rel="icon" href="data:,"><script type="module">${script}</script>`)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const context = await browser.newContext({ ignoreHTTPSErrors: true })
  try {
    const tab = await context.newPage()
    // The page's clock is stopped, so the cookie expires at a known time: 15 minutes later without a stored session.
    const seconds = Math.ceil(Date.now() / 1000) + 3600
    await tab.clock.setFixedTime(seconds * 1000)
    await tab.goto(`${protocol}://localhost:${(server.address() as AddressInfo).port}`)
    await expect.poll(async () => (await context.cookies()).length).toBe(1)
    const [cookie] = await context.cookies()
    expect(cookie).toMatchObject({
      name,
      secure,
      sameSite: 'Lax',
      path: '/',
      httpOnly: false,
      expires: seconds + 900,
    })
    expect(decodeURIComponent(cookie?.value ?? '')).toContain(`"chainId":${latchkeyDev.id}`)
    await tab.reload()
    expect(received).toEqual([undefined, `${name}=${cookie?.value}`])
  } finally {
    await context.close()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
})
