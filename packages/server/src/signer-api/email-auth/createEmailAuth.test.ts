import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestFrame, startTestSignerApi, type TestSignerApi, testApiKey } from '../../../../../test/signerApi.ts'
import { upsertProject } from '../../store/projects/upsertProject.ts'
import { signerApiApp } from '../app.ts'

const first = 'https://app.example/in?from=mail'
const second = 'https://beta.example/'
let api: TestSignerApi

beforeAll(async () => {
  api = await startTestSignerApi({ mailLimit: { count: 3, windowMs: 15 * 60_000 } })
  await upsertProject(api.custody.store.db, {
    id: 'two',
    name: 'Two pages',
    apiKey: 'two-pages-key',
    redirectUrls: [first, second],
    allowedOrigins: ['https://app.example', 'https://beta.example', 'https://third.example'],
  })
})

afterAll(() => api?.close())

function newEmail(): string {
  return `user-${randomUUID()}@example.com`
}

async function bodyFor(email: string, more: object = {}) {
  const { targetPublicKey } = await createTestFrame()
  return { email, targetPublicKey, ...more }
}

function credentialsOf(orgId: string) {
  return api.custody.store.db
    .selectFrom('credentials')
    .select(['id', 'revoked_at'])
    .where('org_id', '=', orgId)
    .execute()
}

test('default', async () => {
  const email = newEmail()
  const { json } = await api.post('signup', await bodyFor(email))
  expect(api.inbox.messages({ to: email })).toHaveLength(1)
  const link = api.linkOf(email)
  expect(`${link.origin}${link.pathname}`).toBe('http://localhost:4100/wallet')
  expect([...link.searchParams.keys()]).toEqual(['bundle', 'orgId'])
  expect(link.searchParams.get('orgId')).toBe(json.orgId)
})

test.each([
  ['https://app.example', first],
  ['https://beta.example', second],
  ['https://third.example', first],
])('param: origin %s leads to %s', async (origin, url) => {
  const email = newEmail()
  const headers = { origin, authorization: 'Bearer two-pages-key' }
  expect(await api.post('signup', await bodyFor(email), headers)).toMatchObject({ status: 200 })
  expect(api.linkOf(email).href.startsWith(url)).toBe(true)
})

test('error: redirectParams cannot lead elsewhere or replace what the link carries', async () => {
  const email = newEmail()
  const redirectParams = 'bundle=x&orgId=y&host=evil.example&//evil.example&keep=1&%0d%0aBcc:x=1'
  expect(await api.post('signup', await bodyFor(email, { redirectParams }))).toMatchObject({ status: 200 })
  const link = api.linkOf(email)
  expect(link.host).toBe('localhost:4100')
  expect(link.searchParams.getAll('bundle')).toHaveLength(1)
  expect(link.searchParams.get('bundle')).toMatch(/^[1-9A-HJ-NP-Za-km-z]{113,118}$/)
  expect(link.searchParams.getAll('orgId')).toHaveLength(1)
  expect(link.searchParams.get('host')).toBeNull()
  expect(link.searchParams.get('keep')).toBe('1')
})

test('error: a project without a redirect URL', async () => {
  await upsertProject(api.custody.store.db, {
    id: 'none',
    name: 'None',
    apiKey: 'no-redirect-key',
    redirectUrls: [],
    allowedOrigins: [],
  })
  const headers = { authorization: 'Bearer no-redirect-key' }
  expect(await api.post('signup', await bodyFor(newEmail()), headers)).toMatchObject({
    status: 400,
    json: { code: 'REDIRECT_NOT_ALLOWED' },
  })
})

test('error: the mail server is down; nothing is left usable and it can be repeated', async () => {
  const email = newEmail()
  await api.inbox.stopSmtp()
  const failed = await api.post('signup', await bodyFor(email))
  expect(failed).toMatchObject({
    status: 503,
    json: { code: 'MAIL_UNAVAILABLE', message: 'The mail could not be sent. Try again in a moment.' },
  })
  expect((await api.post('lookup', { email })).json).toEqual({ orgId: null })
  const lost = await api.custody.store.db
    .selectFrom('mail_outbox')
    .select(['org_id', 'payload_sealed'])
    .where('recipient', '=', email)
    .executeTakeFirstOrThrow()
  expect(lost.payload_sealed).toBeNull()
  expect(await credentialsOf(lost.org_id)).toEqual([{ id: expect.any(String), revoked_at: expect.any(Date) }])
  await api.inbox.startSmtp()

  const { status, json } = await api.post('signup', await bodyFor(email))
  expect({ status, json }).toEqual({ status: 200, json: { orgId: lost.org_id } })
  expect(api.inbox.messages({ to: email })).toHaveLength(1)
  const usable = (await credentialsOf(json.orgId)).filter(({ revoked_at }) => revoked_at === null)
  expect(usable).toHaveLength(1)
})

test('error: a mail that is not handed over in time is given up: its link never works', async () => {
  const email = newEmail()
  await api.stopMail()
  const hasty = signerApiApp({ ...api.deps, mailTimeoutMs: 200 })
  const response = await hasty.request('/signer/v1/signup', {
    method: 'POST',
    headers: { authorization: `Bearer ${testApiKey}` },
    body: JSON.stringify(await bodyFor(email)),
  })
  expect(response.status).toBe(503)
  expect(await response.json()).toEqual({
    code: 'MAIL_UNAVAILABLE',
    message: 'The mail could not be sent. Try again in a moment.',
  })
  const lost = await api.custody.store.db
    .selectFrom('mail_outbox')
    .select(['org_id', 'payload_sealed', 'state'])
    .where('recipient', '=', email)
    .executeTakeFirstOrThrow()
  expect(lost).toMatchObject({ state: 'failed', payload_sealed: null })
  expect(await credentialsOf(lost.org_id)).toEqual([{ id: expect.any(String), revoked_at: expect.any(Date) }])

  await api.startMail()
  expect(await api.post('signup', await bodyFor(email))).toMatchObject({ status: 200, json: { orgId: lost.org_id } })
  expect(api.inbox.messages({ to: email })).toHaveLength(1)
})

test('error: too many mails to one address, also from several copies at once', async () => {
  const email = newEmail()
  const { json } = await api.post('signup', await bodyFor(email))
  const copy = signerApiApp(api.deps)
  const body = JSON.stringify(await bodyFor(email))
  const ask = async (app: typeof copy) => {
    const headers = { authorization: `Bearer ${testApiKey}` }
    const response = await app.request('/signer/v1/auth', { method: 'POST', headers, body })
    return { status: response.status, json: await response.json() }
  }
  const answers = await Promise.all([1, 2, 3, 4, 5, 6].map((index) => ask(index % 2 ? api.app : copy)))
  const refused = answers.filter(({ status }) => status === 429)
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(2)
  expect(refused).toHaveLength(4)
  for (const { json: error } of refused)
    expect(error).toEqual({
      code: 'RATE_LIMIT_EXCEEDED',
      message: expect.stringMatching(/^Too many mails were sent to this address\. Try again in 1[45] minutes\.$/),
    })
  expect(api.inbox.messages({ to: email })).toHaveLength(3)
  expect(await credentialsOf(json.orgId)).toHaveLength(3)
  // Another address is not affected.
  expect(await api.post('signup', await bodyFor(newEmail()))).toMatchObject({ status: 200 })
})

test('behavior: many sign-ups at once do not starve one another', async () => {
  const answers = await Promise.all(
    Array.from({ length: 30 }, async () => api.post('signup', await bodyFor(newEmail()))),
  )
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 30 }, () => 200))
})

test('error: custody is down', async () => {
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
