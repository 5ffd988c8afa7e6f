import { randomUUID } from 'node:crypto'
import { createTestFrame, startTestSignerApi, testApiKey } from '@latchkey/testkit/signerApi'
import { afterAll, expect, test } from 'vitest'
import { signerApiApp } from './app.ts'

/**
 * Strangers know only an owner's e-mail address. They must not be able to lock the owner out, or to learn whether an
 * account exists.
 */
const secretive = { id: 'secretive', name: 'Secretive', apiKey: 'secretive-key', hidesAccounts: true }
const api = await startTestSignerApi({
  projects: [{ ...secretive, redirectUrls: ['https://secretive.example/'], allowedOrigins: [] }],
})
const app = signerApiApp({ ...api.deps, trustedProxies: 1 })
afterAll(() => api.close())

type Frame = Awaited<ReturnType<typeof createTestFrame>>

const newEmail = () => `user-${randomUUID()}@example.com`

async function post(ip: string, path: string, body: object, apiKey = testApiKey) {
  const headers = { authorization: `Bearer ${apiKey}`, 'x-forwarded-for': ip }
  const response = await app.request(`/signer/v1/${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  return { status: response.status, json: await response.json() }
}

const askForMail = (ip: string, email: string, { targetPublicKey }: Frame) =>
  post(ip, 'signup', { email, targetPublicKey })

function enterCode(orgId: string, otpId: string, otpCode: string, { targetPublicKey }: Frame) {
  const { custody } = api
  const request = custody.activity('ACTIVITY_TYPE_OTP_AUTH', orgId, { otpId, otpCode, targetPublicKey })
  return custody.send('/public/v1/submit/otp_auth', JSON.stringify(request))
}

const owner = '198.51.100.7'
const stranger = '203.0.113.9'

test('lets the owner sign in after a stranger used up mails and guesses', async () => {
  const [email, frame] = [newEmail(), await createTestFrame()]
  const { orgId } = (await askForMail(owner, email, frame)).json
  const before = api.readLink(email)
  let mails = 0
  for (; mails < 20; mails++) {
    const theirs = await createTestFrame()
    const { status, json } = await askForMail(stranger, email, theirs)
    if (status === 429) break
    for (let tries = 0; tries < 5; tries++)
      expect((await enterCode(orgId, json.otpId, String(tries).repeat(9), theirs)).status).toBe(400)
  }
  expect(mails).toBe(6)
  const { rows } = await api.custody.store.pool.query(
    'select count(distinct asker)::int as askers, count(*) filter (where asker is null)::int as unknown from mail_codes where org_id = $1',
    [orgId],
  )
  // Custody identifies the requester by the signer API's signed header, regardless of the key.
  expect(rows).toEqual([{ askers: 2, unknown: 0 }])
  const key = await frame.open(before.searchParams.get('bundle') ?? '')
  expect((await api.custody.call('query/whoami', { organizationId: orgId }, key)).status).toBe(200)
  const { status, json } = await askForMail(owner, email, frame)
  expect(status).toBe(200)
  expect((await enterCode(orgId, json.otpId, api.readCode(email), frame)).status).toBe(200)
})

test('reveals no account with `hidesAccounts`', async () => {
  const known = newEmail()
  const frame = await createTestFrame()
  const ask = async (ip: string, path: string, email: string) => {
    const { targetPublicKey } = await createTestFrame()
    const more = { targetPublicKey, redirectParams: 'aa-is-signup=true' }
    const { status, json } = await post(ip, path, { email, ...(path !== 'lookup' && more) }, 'secretive-key')
    return { status, members: Object.keys(json), orgId: json.orgId }
  }
  const { targetPublicKey } = frame
  const { json } = await post(owner, 'signup', { email: known, targetPublicKey }, 'secretive-key')
  expect(api.readLink(known).searchParams.get('aa-is-signup')).toBe('true')
  const key = await frame.open(api.readLink(known).searchParams.get('bundle') ?? '')
  expect((await api.custody.call('query/whoami', { organizationId: json.orgId }, key)).status).toBe(200)

  const mailed = { status: 200, members: ['orgId', 'otpId', 'otpLength'], orgId: expect.any(String) }
  const unknown = newEmail()
  for (const email of [known, unknown, known, unknown]) {
    expect(await ask(stranger, 'lookup', email)).toEqual({ status: 200, members: ['orgId'], orgId: null })
    expect(await ask(stranger, 'signup', email)).toEqual(mailed)
    expect(await ask(stranger, 'auth', email)).toEqual(mailed)
  }
  expect(api.readLink(known).searchParams.has('aa-is-signup')).toBe(false)
  expect(api.readLink(unknown).searchParams.get('aa-is-signup')).toBe('true')
})
