import { randomUUID } from 'node:crypto'
import { startTestCustody, type TestUser } from '@latchkey/testkit/custody'
import { holdRows } from '@latchkey/testkit/holdRows'
import { openBundle } from '@latchkey/testkit/openBundle'
import { p256 } from '@noble/curves/nist.js'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { custodyApp } from '../../app.ts'

let user: TestUser
const custody = await startTestCustody()
// Wrong codes are counted per user.
beforeEach(async () => {
  user = await custody.createUser()
})
afterAll(() => custody.close())

const targetPrivate = p256.utils.randomSecretKey()
const targetPublicKey = pointOf(targetPrivate)
const notRight = (left: number) => ({
  status: 400,
  body: {
    code: 3,
    message: `That code isn't right. ${left} ${left === 1 ? 'try' : 'tries'} left.`,
    details: [{ turnkeyErrorCode: 'OTP_INVALID' }],
  },
})
const over = {
  status: 400,
  body: {
    code: 3,
    message: 'This code can no longer be used. Ask for a new email.',
    details: [{ turnkeyErrorCode: 'OTP_EXPIRED' }],
  },
}

function pointOf(privateKey: Uint8Array): string {
  return Buffer.from(p256.getPublicKey(privateKey, false)).toString('hex')
}

const askForMail = (changes: object = {}, to = user) => custody.askForMail(to, { targetPrivate, ...changes })

const wrong = (code: string) => String((Number(code) + 1) % 10 ** code.length).padStart(code.length, '0')

function write(parameters: object, orgId = user.orgId) {
  return custody.activity('ACTIVITY_TYPE_OTP_AUTH', orgId, { targetPublicKey, ...parameters })
}

const send = (body: object) => custody.send('/public/v1/submit/otp_auth', JSON.stringify(body))
const enter = (otpId: string, otpCode: string, changes: object = {}) => send(write({ otpId, otpCode, ...changes }))

async function whoami(bundle: string, orgId = user.orgId) {
  const privateKey = await openBundle(bundle, targetPrivate)
  const key = {
    privateKey: Buffer.from(privateKey).toString('hex'),
    publicKey: Buffer.from(p256.getPublicKey(privateKey, true)).toString('hex'),
  }
  return custody.call('query/whoami', { organizationId: orgId }, key)
}

test('makes a session from a code, once', async () => {
  const { otpId, code, link } = await askForMail()
  expect(code).toMatch(/^\d{9}$/)
  const { status, body } = await enter(otpId, code)
  expect([status, body.activity.status]).toEqual([200, 'ACTIVITY_STATUS_COMPLETED'])
  const { userId, apiKeyId, credentialBundle, ...rest } = body.activity.result.otpAuthResult
  expect([userId, apiKeyId, rest]).toEqual([user.userId, expect.any(String), {}])
  expect(JSON.stringify(body.activity.intent)).not.toContain(code)
  expect(await whoami(credentialBundle)).toMatchObject({ status: 200, body: { userId } })
  expect((await whoami(link.searchParams.get('bundle') ?? '')).status).toBe(401)
})

test('proves the address on the first use of the session', async () => {
  const fresh = await custody.createUser()
  const { otpId, code } = await askForMail({}, fresh)
  const { body } = await send(write({ otpId, otpCode: code }, fresh.orgId))
  await whoami(body.activity.result.otpAuthResult.credentialBundle, fresh.orgId)
  const rowQuery = custody.store.db.selectFrom('users').select('email_verified_at').where('id', '=', fresh.userId)
  const row = await rowQuery.executeTakeFirst()
  expect(row?.email_verified_at).toBeInstanceOf(Date)
})

test('repeats the answer to the same request and refuses another one', async () => {
  const { otpId, code } = await askForMail()
  const request = write({ otpId, otpCode: code })
  const first = await send(request)
  expect(await send(request)).toEqual(first)
  expect(await enter(otpId, code)).toMatchObject(over)
  // A repeated request returns the same response while its timestamp is accepted. Afterwards, custody erases the
  // bundle.
  custody.advance(3_590_000)
  expect((await send(request)).body.activity.result).toEqual(first.body.activity.result)
  custody.advance(20_000)
  expect(await send(request)).toMatchObject({ status: 400, body: { message: expect.stringContaining('too old') } })
  custody.advance(-3_610_000)
})

test('makes one session from a code sent twice at once', async () => {
  const { otpId, code } = await askForMail()
  const held = await holdRows(custody.store.pool, 'select from users where id = $1 for update', [user.userId])
  const sent = [enter(otpId, code), enter(otpId, code)]
  await held.untilWaiting(2)
  await held.release()
  const answers = (await Promise.all(sent)).sort((a, b) => a.status - b.status)
  expect(answers).toMatchObject([{ status: 200 }, over])
})

test('allows five attempts per code, even at once', async () => {
  const slow = await askForMail()
  for (const left of [4, 3, 2, 1, 0]) expect(await enter(slow.otpId, wrong(slow.code))).toMatchObject(notRight(left))
  expect(await enter(slow.otpId, slow.code)).toMatchObject(over)

  const fast = await askForMail()
  const guesses = Array.from({ length: 20 }, (_, index) => String(index).padStart(6, '0')).filter(
    (guess) => guess !== fast.code,
  )
  const answers = await Promise.all(guesses.map((guess) => enter(fast.otpId, guess)))
  expect(answers.filter(({ body }) => body.details[0].turnkeyErrorCode === 'OTP_INVALID')).toHaveLength(5)
  expect(await enter(fast.otpId, fast.code)).toMatchObject(over)
})

test("keeps the owner's newest code and link working after a guesser used up their own", async () => {
  const own = await askForMail()
  for (let mails = 0; mails < 4; mails++) {
    const targetPrivate = p256.utils.randomSecretKey()
    const theirs = pointOf(targetPrivate)
    const { otpId, code } = await askForMail({ targetPrivate })
    for (let tries = 0; tries < 5; tries++)
      expect((await enter(otpId, wrong(code), { targetPublicKey: theirs })).status).toBe(400)
    expect(await enter(otpId, code, { targetPublicKey: theirs })).toMatchObject(over)
  }
  expect((await custody.call('query/whoami', { organizationId: user.orgId }, own.key)).status).toBe(200)
  const { otpId, code } = await askForMail()
  expect((await enter(otpId, code)).status).toBe(200)
})

test('refuses another target key without counting an attempt', async () => {
  const { otpId, code } = await askForMail()
  const thief = pointOf(p256.utils.randomSecretKey())
  for (let tries = 0; tries < 6; tries++)
    expect(await enter(otpId, code, { targetPublicKey: thief })).toMatchObject(over)
  expect((await enter(otpId, code)).status).toBe(200)
})

test('refuses an expired code', async () => {
  for (const [expirationSeconds, ms] of [
    ['900', 601_000],
    ['60', 61_000],
  ] as const) {
    const { otpId, code } = await askForMail({ expirationSeconds })
    custody.advance(ms)
    expect(await enter(otpId, code)).toMatchObject(over)
    custody.advance(-ms)
  }
})

test('refuses the code of a mail whose link was opened', async () => {
  const fresh = await custody.createUser()
  const { otpId, code, link } = await askForMail({}, fresh)
  expect((await whoami(link.searchParams.get('bundle') ?? '', fresh.orgId)).status).toBe(200)
  expect(await send(write({ otpId, otpCode: code }, fresh.orgId))).toMatchObject(over)
})

test('refuses the code of a revoked session key, even if the database restores the key', async () => {
  const { otpId, apiKeyId, code } = await askForMail()
  const request = custody.activity('ACTIVITY_TYPE_DELETE_API_KEYS', user.orgId, {
    userId: user.userId,
    apiKeyIds: [apiKeyId],
  })
  expect((await custody.call('submit/delete_api_keys', request, user.key)).status).toBe(200)
  const setRevoked = (revokedAt: Date | null) =>
    custody.store.db.updateTable('credentials').set({ revoked_at: revokedAt }).where('id', '=', apiKeyId).execute()
  expect(await enter(otpId, code)).toMatchObject(over)
  expect(await setRevoked(null)).toMatchObject([{ numUpdatedRows: 1n }])
  expect(await enter(otpId, code)).toMatchObject(over)
  // Restores the removal, since other tests verify the log that contains it.
  await setRevoked(new Date())
})

test('keeps a code from an attacker with write access to the database', async () => {
  const { db } = custody.store
  const thief = await custody.createUser()
  const thiefPoint = pointOf(p256.utils.randomSecretKey())
  for (const change of [
    { target_public_key: thiefPoint },
    { user_id: thief.userId },
    { session_seconds: 86_400 },
    { expires_at: new Date(Date.now() + 86_400_000) },
    { credential_id: null },
  ]) {
    const { otpId, code } = await askForMail()
    await db.updateTable('mail_codes').set(change).where('id', '=', otpId).execute()
    const answer = await enter(otpId, code, change.target_public_key ? { targetPublicKey: thiefPoint } : {})
    expect(answer, JSON.stringify(change)).toMatchObject(notRight(4))
  }
  // Moves the code of one e-mail into the row of another.
  const [own, theirs] = [await askForMail({}, thief), await askForMail()]
  const { mac } = await db.selectFrom('mail_codes').select('mac').where('id', '=', own.otpId).executeTakeFirstOrThrow()
  await db.updateTable('mail_codes').set({ mac }).where('id', '=', theirs.otpId).execute()
  expect(await enter(theirs.otpId, own.code)).toMatchObject(notRight(4))
  const { otpId, code } = await askForMail()
  const answers = []
  for (let tries = 0; tries < 7; tries++) {
    await db.updateTable('mail_codes').set({ attempts: 0 }).where('id', '=', otpId).execute()
    answers.push((await enter(otpId, wrong(code))).body.details[0].turnkeyErrorCode)
  }
  expect(answers).toEqual([...Array(5).fill('OTP_INVALID'), 'OTP_EXPIRED', 'OTP_EXPIRED'])
  const row = await db.selectFrom('mail_codes').selectAll().where('id', '=', otpId).executeTakeFirstOrThrow()
  expect(JSON.stringify({ ...row, mac: Buffer.from(row.mac).toString('hex') })).not.toContain(code)
})

test('counts wrong codes in the database, shared by all processes', async () => {
  const { otpId, code } = await askForMail()
  const row = custody.store.db.selectFrom('mail_codes').select('attempts').where('id', '=', otpId)
  for (const attempts of [1, 2]) {
    await enter(otpId, wrong(code))
    expect(await row.executeTakeFirst()).toEqual({ attempts })
  }
  // Simulates attempts at another process, which shares only the table.
  await custody.store.db.updateTable('mail_codes').set({ attempts: 5 }).where('id', '=', otpId).execute()
  expect(await enter(otpId, code)).toMatchObject(over)
})

test('limits codes tried from one client address', async () => {
  const behindProxy = await custodyApp({ ...custody.deps, trustedProxies: 1 })
  const attempt = (ip: string) =>
    behindProxy.request('/public/v1/submit/otp_auth', {
      method: 'POST',
      headers: { 'x-forwarded-for': ip },
      body: JSON.stringify(write({ otpId: randomUUID(), otpCode: '000000' })),
    })
  let refused = await attempt('198.51.100.1')
  let allowed = 0
  // One attempt is restored every ten seconds.
  for (; refused.status === 400 && allowed < 100; allowed++) refused = await attempt('198.51.100.1')
  expect(allowed).toBeGreaterThanOrEqual(60)
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, expect.stringMatching(/^(?:\d|10)$/)])
  expect(await refused.json()).toMatchObject({ code: 8, details: [{ turnkeyErrorCode: 'RATE_LIMIT_EXCEEDED' }] })
  expect((await attempt('198.51.100.2')).status).toBe(400)
})
