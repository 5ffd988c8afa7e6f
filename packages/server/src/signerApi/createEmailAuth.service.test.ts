import { randomUUID } from 'node:crypto'
import { createTestFrame, startTestSignerApi, testApiKey } from '@latchkey/testkit/signerApi'
import { afterAll, expect, test } from 'vitest'
import { signerApiApp } from './app.ts'

const first = 'https://app.example/in?from=mail'
const second = 'https://beta.example/'

const limits = {
  mailsPerAsker: { limit: 3, windowMs: 15 * 60_000 },
  mailsPerIp: { limit: 2, windowMs: 15 * 60_000 },
  requestsPerIp: { limit: 5, windowMs: 15 * 60_000 },
}

const api = await startTestSignerApi({
  limits,
  projects: [
    {
      id: 'two',
      name: 'Two pages',
      apiKey: 'two-pages-key',
      redirectUrls: [first, second],
      allowedOrigins: ['https://app.example', 'https://beta.example', 'https://third.example'],
    },
    { id: 'none', name: 'None', apiKey: 'no-page-key', redirectUrls: [], allowedOrigins: [] },
    { id: 'careful', name: 'Careful', apiKey: 'careful-key', redirectUrls: [], allowedOrigins: [] },
  ],
})

afterAll(() => api.close())

function newEmail(): string {
  return `user-${randomUUID()}@example.com`
}

async function bodyFor(email: string, more: object = {}) {
  const { targetPublicKey } = await createTestFrame()
  return { email, targetPublicKey, ...more }
}

function listCredentials(orgId: string) {
  return api.custody.store.db.selectFrom('credentials').select('id').where('org_id', '=', orgId).execute()
}

test('leaves nothing usable when the mail server is down, and can be repeated', async () => {
  const email = newEmail()
  await api.inbox.stopSmtp()
  const hasty = signerApiApp({ ...api.deps, mailTimeoutMs: 1_500 })
  const headers = { authorization: `Bearer ${testApiKey}` }
  const body = JSON.stringify(await bodyFor(email))
  const failed = await hasty.request('/signer/v1/signup', { method: 'POST', headers, body })
  expect([failed.status, await failed.json()]).toEqual([
    503,
    { code: 'MAIL_UNAVAILABLE', message: 'The email could not be sent. Try again in a moment.' },
  ])
  expect((await api.post('lookup', { email })).json).toEqual({ orgId: null })
  const lost = await api.custody.store.db
    .selectFrom('mail_outbox')
    .select(['org_id', 'payload_sealed'])
    .where('recipient', '=', email)
    .executeTakeFirstOrThrow()
  expect(lost.payload_sealed).toBeNull()
  expect(await listCredentials(lost.org_id)).toEqual([])
  await api.inbox.startSmtp()

  const { status, json } = await api.post('signup', await bodyFor(email))
  expect({ status, json }).toEqual({
    status: 200,
    json: { orgId: lost.org_id, otpId: expect.any(String), otpLength: 9 },
  })
  expect(api.inbox.messages({ to: email })).toHaveLength(1)
  expect(await listCredentials(json.orgId)).toHaveLength(1)
})

test('limits mails to one address across copies', async () => {
  const email = newEmail()
  const { json } = await api.post('signup', await bodyFor(email))
  const copy = signerApiApp(api.deps)
  const body = JSON.stringify(await bodyFor(email))
  const ask = async (app: typeof copy) => {
    const headers = { authorization: `Bearer ${testApiKey}` }
    const response = await app.request('/signer/v1/auth', { method: 'POST', headers, body })
    return { status: response.status, json: await response.json() }
  }
  const responses = await Promise.all([1, 2, 3, 4, 5, 6].map((index) => ask(index % 2 ? api.app : copy)))
  const refused = responses.filter(({ status }) => status === 429)
  expect(responses.filter(({ status }) => status === 200)).toHaveLength(2)
  expect(refused).toHaveLength(4)
  for (const { json: error } of refused)
    expect(error).toEqual({
      code: 'RATE_LIMIT_EXCEEDED',
      message: expect.stringMatching(/^Too many emails were sent to this address\. Try again in [45] minutes\.$/),
    })
  expect(api.inbox.messages({ to: email })).toHaveLength(3)
  expect(await listCredentials(json.orgId)).toHaveLength(3)
  expect(await api.post('signup', await bodyFor(newEmail()))).toMatchObject({ status: 200 })
})

test.each([
  ['of one project', { mailsPerProject: { limit: 1, windowMs: 900_000 } }, false, 'sent', '15 minutes'],
  [
    'to one address in a day',
    { mailsPerAskerDaily: { limit: 1, windowMs: 86_400_000 } },
    true,
    'sent to this address',
    '24 hours',
  ],
] as const)('limits mails %s', async (_what, busyLimits, isSameAddress, text, wait) => {
  const busy = signerApiApp({ ...api.deps, limits: busyLimits })
  const email = newEmail()
  const ask = async (address: string, key = 'two-pages-key') => {
    const body = JSON.stringify(await bodyFor(address))
    const headers = { authorization: `Bearer ${key}` }
    const response = await busy.request('/signer/v1/signup', { method: 'POST', headers, body })
    return { status: response.status, json: await response.json() }
  }
  expect(await ask(email)).toMatchObject({ status: 200 })
  expect(await ask(isSameAddress ? email : newEmail())).toEqual({
    status: 429,
    json: { code: 'RATE_LIMIT_EXCEEDED', message: `Too many emails were ${text}. Try again in ${wait}.` },
  })
  expect(await ask(newEmail(), isSameAddress ? 'two-pages-key' : 'no-page-key')).toMatchObject({ status: 200 })
})

test("uses none of the project's limit for mails refused by address", async () => {
  const day = { windowMs: 86_400_000 }
  const mailsPerProject = { limit: 20, ...day }
  const careful = signerApiApp({ ...api.deps, limits: { mailsPerAddress: { limit: 1, ...day }, mailsPerProject } })
  const ask = async (email: string) => {
    const headers = { authorization: 'Bearer careful-key' }
    const body = JSON.stringify(await bodyFor(email))
    return (await careful.request('/signer/v1/signup', { method: 'POST', headers, body })).status
  }
  const email = newEmail()
  expect(await ask(email)).toBe(200)
  for (let count = 0; count < 20; count++) expect(await ask(email)).toBe(429)
  expect(await ask(newEmail())).toBe(200)
})

test('reports an unreachable custody without its URL', async () => {
  const alone = signerApiApp({ ...api.deps, custodyUrl: 'http://127.0.0.1:1' })
  const response = await alone.request('/signer/v1/signup', {
    method: 'POST',
    headers: { authorization: `Bearer ${testApiKey}` },
    body: JSON.stringify(await bodyFor(newEmail())),
  })
  expect(response.status).toBe(502)
  const error = (await response.json()) as { code: string; message: string }
  expect(error).toMatchObject({ code: 'NETWORK_UNREACHABLE', message: expect.stringContaining('key-custody service') })
  expect(error.message).not.toContain('127.0.0.1')
})

test('limits client addresses, distinguished by trusted proxies only', async () => {
  const behindProxy = signerApiApp({ ...api.deps, trustedProxies: 1 })
  const ask = async (ip: string, path = 'signup', body: object = {}) => {
    const response = await behindProxy.request(`/signer/v1/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${testApiKey}`, 'x-forwarded-for': `6.6.6.6, ${ip}` },
      body: JSON.stringify(body),
    })
    return { status: response.status, retryAfter: response.headers.get('retry-after'), json: await response.json() }
  }
  const signup = async (ip: string) => ask(ip, 'signup', await bodyFor(newEmail()))
  expect((await signup('198.51.100.1')).status).toBe(200)
  expect((await signup('198.51.100.1')).status).toBe(200)
  expect(await signup('198.51.100.1')).toEqual({
    status: 429,
    retryAfter: expect.stringMatching(/^4[2-5]\d$/),
    json: {
      code: 'RATE_LIMIT_EXCEEDED',
      message: expect.stringMatching(/^Too many emails were asked for\. Try again in 8 minutes\.$/),
    },
  })
  expect((await signup('198.51.100.2')).status).toBe(200)
  for (let count = 0; count < 2; count++) expect((await ask('198.51.100.1')).status).toBe(400)
  expect(await ask('198.51.100.1')).toMatchObject({
    status: 429,
    json: { message: expect.stringContaining('Too many requests') },
  })
})
