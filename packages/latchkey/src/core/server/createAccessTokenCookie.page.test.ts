import { startAccessTokens } from '@latchkey/testkit/accessTokens'
import { test } from '@latchkey/testkit/worker'
import { expect } from 'vitest'
import { listen } from '../../../../server/src/platform/http/listen.ts'
import { createAccessTokenCookie } from './createAccessTokenCookie.ts'

test('keeps the cookie from scripts and from requests of other sites', async ({ browser }) => {
  const tokens = await startAccessTokens()
  const session = createAccessTokenCookie(tokens)
  const app = await listen(
    async (request) => {
      if (new URL(request.url).pathname === '/api/session') return session.handle(request)
      const user = await session.read(request)
      const text = user ? 'signed in' : 'signed out'
      const page = `<title>${text}</title><form id="own" method="post" action="/"></form>`
      return new Response(page, { headers: { 'content-type': 'text/html', 'set-cookie': 'plain=1' } })
    },
    { port: 0 },
  )
  // A site other than localhost.
  const foreign = await listen(
    () =>
      new Response(`<a href="${app.url}/">link</a><form id="foreign" method="post" action="${app.url}/"></form>`, {
        headers: { 'content-type': 'text/html' },
      }),
    { port: 0 },
  )
  const context = await browser.newContext()
  const page = await context.newPage()
  await page.goto(app.url)
  expect(await page.title()).toBe('signed out')
  const status = await page.evaluate(
    async (token) =>
      (await fetch('/api/session', { method: 'POST', headers: { authorization: `Bearer ${token}` } })).status,
    tokens.own,
  )
  expect([status, await page.evaluate(() => document.cookie)]).toEqual([204, 'plain=1'])
  await page.reload()
  expect(await page.title()).toBe('signed in')
  const submit = async (id: string) => {
    await Promise.all([
      // The URL and the response would come before the new document's title.
      page.waitForEvent('load'),
      page.evaluate((name) => (document.getElementById(name) as HTMLFormElement).submit(), id),
    ])
    return page.title()
  }
  expect(await submit('own')).toBe('signed in')
  const elsewhere = `http://127.0.0.1:${foreign.port}/`
  await page.goto(elsewhere)
  expect(await submit('foreign')).toBe('signed out')
  await page.goto(elsewhere)
  await page.getByRole('link').click()
  await expect.poll(() => page.title()).toBe('signed in')
  const cookies = await context.cookies(app.url)
  expect(cookies.find(({ name }) => name.startsWith('__Host-'))).toMatchObject({
    httpOnly: true,
    secure: true,
    sameSite: 'Lax',
    domain: 'localhost',
  })
  await context.close()
  await foreign.close()
  await app.close()
  await tokens.close()
})
