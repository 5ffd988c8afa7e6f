import { authenticate, devnetTabs, readStatus, refusal, sign, status } from '@latchkey/testkit/signer/devnetTabs'
import { addAuthenticator, signInAs } from 'latchkey-dev/testing'
import { expect, test } from 'vitest'

const tabs = devnetTabs()
const { open } = tabs
const person = () => `ann-${crypto.randomUUID().slice(0, 8)}`
const unknown = { id: expect.any(String), subject: expect.any(String), createdAtMs: expect.any(Number) }
const request = { type: 'oauth', provider: 'dev' } as const

test('signs in through a window, and again to the same account', async () => {
  const name = person()
  const tab = await open()
  const signIn = async () => {
    const [result] = await Promise.all([authenticate(tab, request), signInAs(tabs, name)])
    return result
  }
  const { user } = await signIn()
  expect(user).toMatchObject({ email: `${name}@example.com`, address: expect.stringMatching(/^0x/) })
  expect(await readStatus(tab)).toBe('CONNECTED')
  expect(await sign(tab)).toBe(user?.address)
  await expect.poll(() => tabs.context.pages().length).toBe(1)
  await tab.reload()
  await status(tab, 'CONNECTED')
  await tab.evaluate(() => window.page.signer.disconnect())
  expect((await signIn()).user).toMatchObject({ orgId: user?.orgId, address: user?.address })
  const sent = tabs.requests.map(({ path }) => path.split('/').pop())
  expect(sent.filter((path) => path !== 'config').slice(0, 3)).toEqual(['prepare-oauth', 'redeem-oauth', 'whoami'])
})

test('signs in by redirect, also where windows are blocked', async () => {
  const name = person()
  const tab = await open(`${tabs.page.url}/?keep=a%20b#part`)
  for (const mode of ['redirect', 'popup'] as const) {
    await tab.evaluate(
      (given) => {
        window.open = () => null
        window.page.authenticate(given)
      },
      { ...request, mode },
    )
    await signInAs(tabs, name)
    await tab.waitForFunction(() => window.page?.signer.status === 'CONNECTED')
    expect(tab.url()).toBe(`${tabs.page.url}/?keep=a%20b#part`)
    expect(await tab.evaluate(() => window.page.signer.user?.email)).toBe(`${name}@example.com`)
    await tab.evaluate(() => window.page.signer.disconnect())
  }
  const kept = await tab.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }))
  expect(kept).not.toContain('requestKey')
})

test('signs in to the existing account with the same address', async () => {
  const name = person()
  const { asking } = await tabs.signIn(`${name}@example.com`)
  const before = await asking.evaluate(() => window.page.signer.user)
  await asking.evaluate(() => window.page.signer.disconnect())
  const [{ user }] = await Promise.all([authenticate(asking, request), signInAs(tabs, name)])
  expect(user).toEqual(before)
})

test('adds and removes another identity once the user confirms by email', async () => {
  const [name, work] = [person(), person()]
  const email = `${name}@example.com`
  const tab = await open()
  await Promise.all([authenticate(tab, request), signInAs(tabs, name)])
  const orgId = await tab.evaluate(() => window.page.signer.user?.orgId)
  const list = () => tab.evaluate(() => window.page.signer.listProviders())
  expect(await list()).toEqual([{ ...unknown, provider: 'dev', issuer: tabs.devnet.urls.provider }])
  const added = tab.evaluate(() => window.page.signer.addProvider('dev'))
  await signInAs(tabs, work)
  await tabs.confirm(email)
  const [id = ''] = await added
  expect((await list()).map((each) => each.id)).toContain(id)
  await tab.evaluate(() => window.page.signer.disconnect())
  const [{ user }] = await Promise.all([authenticate(tab, request), signInAs(tabs, work)])
  expect(user).toMatchObject({ orgId, email })
  const removed = tab.evaluate((given) => window.page.signer.removeProvider(given), id)
  await tabs.confirm(email, 1)
  await removed
  expect(await list()).toHaveLength(1)
})

test('adds an identity to a passkey account', async () => {
  const tab = await open()
  await addAuthenticator(tab)
  await authenticate(tab, { type: 'passkey', createNew: true, username: 'ann' })
  const added = tab.evaluate(() => window.page.signer.addProvider('dev').catch(({ code }: { code: string }) => [code]))
  await signInAs(tabs, person())
  expect(await added).toEqual([expect.stringMatching(/^[\da-f-]{36}$/)])
})

test('refuses an identity of another account, and adds none without a window', async () => {
  const name = person()
  const tab = await open()
  await Promise.all([authenticate(tab, request), signInAs(tabs, name)])
  const other = await open(undefined, await tabs.browser.newContext())
  const owner = person()
  const signedIn = authenticate(other, request)
  await signInAs({ context: other.context(), devnet: tabs.devnet }, owner)
  await signedIn
  await other.context().close()
  const added = refusal(tab, 'addProvider', 'dev')
  await signInAs(tabs, owner)
  expect((await added).message).toContain('This identity belongs to an account already.')
  await tab.evaluate(() => {
    window.open = () => null
  })
  expect((await refusal(tab, 'addProvider', 'dev')).code).toBe('PROVIDER_WINDOW_BLOCKED')
})

test('refuses a provider response that this tab did not request', async () => {
  const other = await open()
  await other.evaluate((given) => window.page.authenticate(given), { ...request, mode: 'redirect' as const })
  let answer = ''
  // An attacker's link contains the attacker's own provider response.
  await tabs.context.route('**/?latchkey-oauth=*', async (route) => {
    answer = route.request().url()
    await route.abort()
  })
  await signInAs(tabs, person())
  await expect.poll(() => answer).toContain('latchkey-oauth')
  await tabs.context.unroute('**/?latchkey-oauth=*')
  const tab = await open(answer)
  await tab.waitForFunction(() => window.page.errors.length > 0)
  expect(await tab.evaluate(() => window.page.errors[0]?.code)).toBe('OIDC_TOKEN_INVALID')
  expect(await readStatus(tab)).toBe('DISCONNECTED')
  expect(tab.url()).not.toContain('latchkey-oauth')
})

test('ignores messages from other windows, and lists the available providers', async () => {
  const tab = await open()
  const pending = authenticate(tab, request)
  await tab.evaluate(() => window.postMessage({ type: 'LATCHKEY_OAUTH', state: 'x', code: 'x' }, '*'))
  await signInAs(tabs, person())
  expect((await pending).code).toBeUndefined()
  const { code, message } = await authenticate(tab, { type: 'oauth', provider: 'acme' })
  expect(code).toBe('REQUEST_INVALID')
  expect(message).toContain('dev')
  await status(tab, 'CONNECTED')
})

test('ends a sign-in that its caller aborts', async () => {
  const tab = await open()
  const controller = await tab.evaluateHandle(() => new AbortController())
  const outcome = tab.evaluate(
    ({ signal }) =>
      window.page.signer
        .authenticate({ type: 'oauth', provider: 'dev', signal })
        .catch(({ code }: { code: string }) => code),
    controller,
  )
  await expect.poll(() => tabs.context.pages().length).toBe(2)
  await controller.evaluate((given) => given.abort())
  expect(await outcome).toBe('ABORTED')
  await expect.poll(() => tabs.context.pages().length).toBe(1)
})
