import { createAuthenticator } from '@latchkey/testkit/authenticator'
import { type Reply, startTestCustody, type TestUser } from '@latchkey/testkit/custody'
import { custodyCalls } from '@latchkey/testkit/custodyCalls'
import { openBundle } from '@latchkey/testkit/openBundle'
import { p256 } from '@noble/curves/nist.js'
import { afterAll, expect, test } from 'vitest'
import { createTotp } from '../../../../dev/src/testing/createTotp.ts'
import { createStamp } from '../../platform/crypto/createStamp.ts'

// The second factor of sign-ins. Whoever reads the mailbox, or holds the parent's key as a taken-over signer API does,
// gets no session without it.

const custody = await startTestCustody({ project: { confirmations: 'mail' } })
afterAll(() => custody.close())
const { submit, whoami } = custodyCalls(() => custody)

const toHex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
const stepMs = 30_000
const code = ({ body }: Reply): string => body.details?.[0]?.turnkeyErrorCode ?? body.activity.status
const createFrame = () => {
  const privateKey = p256.utils.randomSecretKey()
  return { privateKey, targetPublicKey: toHex(p256.getPublicKey(privateKey, false)) }
}
type Frame = ReturnType<typeof createFrame>
type Given = { multiFactorId: string; multiFactorCode: string }

const now = () => custody.deps.now?.() ?? 0
const show = (app: createTotp.ReturnType, ahead = 0) => app.code({ atMs: now(), ahead })

async function setUp(user: TestUser) {
  const { userId } = user
  const created = await submit('create_multi_factor', user, { userId, multiFactorType: 'totp' })
  const { multiFactorId, multiFactorTotpUrl } = created.body.activity.result.createMultiFactorResult
  return { multiFactorId, url: multiFactorTotpUrl as string, app: createTotp(multiFactorTotpUrl) }
}

/** Sets up a factor, and confirms it by email. Later codes are of later time steps. */
async function enroll(user: TestUser) {
  const { multiFactorId, app } = await setUp(user)
  const request = custody.activity('ACTIVITY_TYPE_ACTIVATE_MULTI_FACTOR', user.orgId, {
    userId: user.userId,
    multiFactorId,
    multiFactorCode: show(app),
  })
  const send = () => custody.call('submit/activate_multi_factor', request, user.key)
  const pending = await send()
  expect(pending.body.activity.confirmation).toMatchObject({ by: 'mail', action: 'add-factor' })
  await custody.decide(pending.body.activity.id)
  const { recoveryCodes } = (await send()).body.activity.result.activateMultiFactorResult
  custody.advance(2 * stepMs)
  return { multiFactorId, app, recoveryCodes: recoveryCodes as string[] }
}

async function askForMail(user: TestUser, parameters: object = {}, frame: Frame = createFrame()) {
  const request = custody.activity('ACTIVITY_TYPE_EMAIL_AUTH_V2', user.orgId, {
    email: user.email,
    targetPublicKey: frame.targetPublicKey,
    ...parameters,
  })
  const reply = await custody.call('submit/email_auth', request, custody.rootKey)
  if (reply.status !== 200) return { reply, frame, mail: undefined, otpId: '' }
  const { id, result } = reply.body.activity
  const { content } = await custody.readQueued(id, 'sign-in')
  const mail = content.kind === 'sign-in' ? content : undefined
  return { reply, frame, mail, otpId: result.emailAuthResult.otpId as string }
}
type Mail = Awaited<ReturnType<typeof askForMail>>

function redeem(
  { orgId }: TestUser,
  { mail, otpId, frame }: Mail,
  multiFactors?: readonly Given[],
  otpCode = mail?.code,
) {
  const { targetPublicKey } = frame
  const request = custody.activity('ACTIVITY_TYPE_OTP_AUTH', orgId, { otpId, otpCode, targetPublicKey, multiFactors })
  return custody.send('/public/v1/submit/otp_auth', JSON.stringify(request))
}

async function isSession({ orgId }: TestUser, { body }: Reply, { privateKey }: Frame): Promise<boolean> {
  const opened = await openBundle(body.activity.result.otpAuthResult.credentialBundle, privateKey)
  const key = { privateKey: toHex(opened), publicKey: toHex(p256.getPublicKey(opened, true)) }
  return (await whoami(orgId, key)) === 200
}

const list = async ({ orgId, userId, key }: TestUser) =>
  (await custody.call('query/get_multi_factors', { organizationId: orgId, userId }, key)).body.multiFactors

test('activates a factor once its code is right and its user has confirmed it by email', async () => {
  const user = await custody.createUser()
  const { multiFactorId, url, app } = await setUp(user)
  expect(url).toMatch(/^otpauth:\/\/totp\/Test%20app:.+secret=[A-Z2-7]{32}&issuer=Test%20app$/)
  const prove = (multiFactorCode: string) =>
    submit('activate_multi_factor', user, { userId: user.userId, multiFactorId, multiFactorCode })
  expect(code(await prove('000000'))).toBe('MFA_INVALID')
  expect(await list(user)).toEqual([])
  // An inactive factor changes nothing.
  expect(code(await redeem(user, await askForMail(user)))).toBe('ACTIVITY_STATUS_COMPLETED')
  const asked = await prove(show(app))
  expect(code(asked)).toBe('ACTIVITY_STATUS_PENDING')
  expect(await list(user)).toEqual([])
  custody.advance(10 * 60_000)
  expect((await custody.decide(asked.body.activity.id)).body.confirmation.state).toBe('confirmed')
  expect(await list(user)).toEqual([{ multiFactorId, multiFactorType: 'totp', recoveryCodesLeft: 10 }])
  const read = await custody.call(
    'query/get_activity',
    { organizationId: user.orgId, activityId: asked.body.activity.id },
    user.key,
  )
  const { recoveryCodes } = read.body.activity.result.activateMultiFactorResult
  expect(new Set(recoveryCodes).size).toBe(10)
  expect(recoveryCodes[0]).toMatch(/^([a-z2-7]{4}-){3}[a-z2-7]{4}$/)
  expect((await custody.readQueued(asked.body.activity.id, 'factor-added')).to).toBe(user.email)
})

test('stores neither secret nor recovery codes in clear', async () => {
  const user = await custody.createUser()
  const { recoveryCodes } = await enroll(user)
  const { rows } = await custody.store.pool.query('select * from multi_factors where user_id = $1', [user.userId])
  const text = JSON.stringify(rows)
  for (const each of recoveryCodes) expect(text).not.toContain(each.replaceAll('-', ''))
  expect(rows[0].recovery_codes).toHaveLength(10)
  expect(text).not.toContain('otpauth')
})

test('opens no session by an emailed code without the factor, and one with it', async () => {
  const user = await custody.createUser()
  const { multiFactorId, app } = await enroll(user)
  const mail = await askForMail(user, { codeOnly: true })
  const refused = await redeem(user, mail)
  expect(code(refused)).toBe('MFA_REQUIRED')
  expect(refused.body.details[1]).toEqual({ multiFactors: [{ multiFactorId, multiFactorType: 'totp' }] })
  const entered = await redeem(user, mail, [{ multiFactorId, multiFactorCode: show(app) }])
  expect(await isSession(user, entered, mail.frame)).toBe(true)
  // The mailed code is spent.
  custody.advance(2 * stepMs)
  expect(code(await redeem(user, mail, [{ multiFactorId, multiFactorCode: show(app) }]))).toBe('OTP_EXPIRED')
})

test('names the factor only to those who know the mailed code', async () => {
  const user = await custody.createUser()
  await enroll(user)
  const mail = await askForMail(user, { codeOnly: true })
  expect(code(await redeem(user, mail, undefined, '000000000'))).toBe('OTP_INVALID')
})

test('accepts a time step once, also by concurrent requests', async () => {
  const user = await custody.createUser()
  const { multiFactorId, app } = await enroll(user)
  const mails = [await askForMail(user, { codeOnly: true }), await askForMail(user, { codeOnly: true })]
  const given = [{ multiFactorId, multiFactorCode: show(app) }]
  const replies = await Promise.all(mails.map((mail) => redeem(user, mail, given)))
  expect(replies.map(code).sort()).toEqual(['ACTIVITY_STATUS_COMPLETED', 'MFA_INVALID'])
  const third = await askForMail(user, { codeOnly: true })
  expect(code(await redeem(user, third, given))).toBe('MFA_INVALID')
  // Neither does an earlier step work any more.
  expect(code(await redeem(user, third, [{ multiFactorId, multiFactorCode: show(app, -1) }]))).toBe('MFA_INVALID')
  expect(code(await redeem(user, third, [{ multiFactorId, multiFactorCode: show(app, 1) }]))).toBe(
    'ACTIVITY_STATUS_COMPLETED',
  )
})

test('waits after five wrong codes, whatever the mail, also in another process', async () => {
  const user = await custody.createUser()
  const { multiFactorId, app, recoveryCodes } = await enroll(user)
  const mail = await askForMail(user, { codeOnly: true })
  const wrong = () => redeem(user, mail, [{ multiFactorId, multiFactorCode: '000000' }])
  for (let index = 0; index < 5; index++) expect((await wrong()).body.message).toContain('Invalid MFA code')
  expect(code(await wrong())).toBe('RATE_LIMIT_EXCEEDED')
  const other = await askForMail(user, { codeOnly: true })
  const right = { multiFactorId, multiFactorCode: show(app) }
  const limited = await redeem(user, other, [right])
  expect(code(limited)).toBe('RATE_LIMIT_EXCEEDED')
  expect(limited.body.message).toMatch(/Try again in [123] minutes/)
  expect(code(await redeem(user, other, [{ multiFactorId, multiFactorCode: recoveryCodes[0] ?? '' }]))).toBe(
    'RATE_LIMIT_EXCEEDED',
  )
  const copy = await custody.startCopy()
  const request = custody.activity('ACTIVITY_TYPE_OTP_AUTH', user.orgId, {
    otpId: other.otpId,
    otpCode: other.mail?.code,
    targetPublicKey: other.frame.targetPublicKey,
    multiFactors: [right],
  })
  const reply = await copy.request('/public/v1/submit/otp_auth', { method: 'POST', body: JSON.stringify(request) })
  expect(reply.status).toBe(429)
})

test('accepts each recovery code once, however it is typed, and tells its user', async () => {
  const user = await custody.createUser()
  const { multiFactorId, recoveryCodes } = await enroll(user)
  const [first = '', second = ''] = recoveryCodes
  const enter = async (multiFactorCode: string) =>
    redeem(user, await askForMail(user, { codeOnly: true }), [{ multiFactorId, multiFactorCode }])
  const entered = await enter(` ${first.toUpperCase().replaceAll('-', ' ')}`)
  expect(code(entered)).toBe('ACTIVITY_STATUS_COMPLETED')
  expect((await custody.readQueued(entered.body.activity.id, 'recovery-code-used')).to).toBe(user.email)
  expect(code(await enter(first))).toBe('MFA_INVALID')
  expect(code(await enter(second))).toBe('ACTIVITY_STATUS_COMPLETED')
  expect(await list(user)).toMatchObject([{ recoveryCodesLeft: 8 }])
})

test('mails no link without the factor, and one after it', async () => {
  const user = await custody.createUser()
  const { multiFactorId, app } = await enroll(user)
  expect(code((await askForMail(user)).reply)).toBe('MFA_REQUIRED')
  const withoutLink = await askForMail(user, { codeOnly: true })
  expect(withoutLink.mail?.link).toBeUndefined()
  const wrong = await askForMail(user, { multiFactors: [{ multiFactorId, multiFactorCode: '000000' }] })
  expect(code(wrong.reply)).toBe('MFA_INVALID')
  const { mail, frame } = await askForMail(user, { multiFactors: [{ multiFactorId, multiFactorCode: show(app) }] })
  const bundle = new URL(mail?.link ?? '').searchParams.get('bundle') ?? ''
  const opened = await openBundle(bundle, frame.privateKey)
  const key = { privateKey: toHex(opened), publicKey: toHex(p256.getPublicKey(opened, true)) }
  expect(await whoami(user.orgId, key)).toBe(200)
})

test('locks nobody out by wrong codes of those who know the address alone', async () => {
  const user = await custody.createUser()
  const { multiFactorId, app } = await enroll(user)
  for (const expected of [...Array(5).fill('MFA_INVALID'), 'RATE_LIMIT_EXCEEDED']) {
    const { reply } = await askForMail(user, { multiFactors: [{ multiFactorId, multiFactorCode: '000000' }] })
    expect(code(reply)).toBe(expected)
  }
  const mail = await askForMail(user, { codeOnly: true })
  expect(code(await redeem(user, mail, [{ multiFactorId, multiFactorCode: show(app) }]))).toBe(
    'ACTIVITY_STATUS_COMPLETED',
  )
})

test('ends links that were mailed before the factor', async () => {
  const user = await custody.createUser()
  const mail = await custody.askForMail(user)
  await enroll(user)
  expect(await whoami(user.orgId, mail.key)).toBe(401)
})

test('opens no session by an identity provider without the factor, and one by each token', async () => {
  const user = await custody.createUser()
  const claims = { sub: crypto.randomUUID() }
  const oauthProviders = [
    { providerName: 'local', oidcToken: await custody.issuer.sign({ boundTo: user.key.publicKey, claims }) },
  ]
  const added = await submit('create_oauth_providers', user, { userId: user.userId, oauthProviders })
  await custody.decide(added.body.activity.id)
  const { multiFactorId, app } = await enroll(user)
  const { targetPublicKey } = createFrame()
  const oidcToken = await custody.issuer.sign({ boundTo: targetPublicKey, claims })
  const enter = (multiFactors?: readonly Given[]) => {
    const request = { oidcToken, targetPublicKey, multiFactors }
    return custody.call('submit/oauth', custody.activity('ACTIVITY_TYPE_OAUTH', user.orgId, request), custody.rootKey)
  }
  expect(code(await enter())).toBe('MFA_REQUIRED')
  expect(code(await enter([{ multiFactorId, multiFactorCode: '000000' }]))).toBe('MFA_INVALID')
  expect(code(await enter([{ multiFactorId, multiFactorCode: show(app) }]))).toBe('ACTIVITY_STATUS_COMPLETED')
  custody.advance(2 * stepMs)
  expect(code(await enter([{ multiFactorId, multiFactorCode: show(app) }]))).toBe('OIDC_TOKEN_INVALID')
})

test('needs no factor from a passkey that verifies its user', async () => {
  const passkey = createAuthenticator()
  const user = await custody.createUser({ passkeys: [passkey.register()] })
  await enroll(user)
  const { status } = await custody.callByPasskey('query/whoami', { organizationId: user.orgId }, passkey)
  expect(status).toBe(200)
})

test('removes a factor once its user has confirmed it by email', async () => {
  const user = await custody.createUser()
  const { multiFactorId } = await enroll(user)
  const { userId } = user
  const again = await submit('create_multi_factor', user, { userId, multiFactorType: 'totp' })
  expect(code(again)).toBe('CREDENTIAL_CONFLICT')
  const asked = await submit('delete_multi_factors', user, { userId, multiFactorIds: [multiFactorId] })
  expect(asked.body.activity).toMatchObject({
    status: 'ACTIVITY_STATUS_PENDING',
    confirmation: { action: 'remove-factor' },
  })
  expect(code(await redeem(user, await askForMail(user, { codeOnly: true })))).toBe('MFA_REQUIRED')
  await custody.decide(asked.body.activity.id)
  expect(await list(user)).toEqual([])
  expect(code(await redeem(user, await askForMail(user)))).toBe('ACTIVITY_STATUS_COMPLETED')
})

test.each([
  ['deletes the factor', 'delete from multi_factors where user_id = $1'],
  ['deactivates the factor', 'update multi_factors set activated_at = null where user_id = $1'],
  ['resets the last step', 'update multi_factors set last_step = null where user_id = $1'],
  ['clears the mark of the user', 'update users set factor_since = null where id = $1'],
])('opens no session when someone %s in the database', async (_name, statement) => {
  const user = await custody.createUser()
  const { multiFactorId, app } = await enroll(user)
  const mail = await askForMail(user, { codeOnly: true })
  await custody.store.pool.query(statement, [user.userId])
  for (const given of [undefined, [{ multiFactorId, multiFactorCode: show(app) }]])
    expect((await redeem(user, mail, given)).status).toBeGreaterThanOrEqual(400)
})

test('confirms a change by a stamped word like any other', async () => {
  const user = await custody.createUser()
  const byWord = (call: string, word: string, given: object = {}) => {
    const body = JSON.stringify(custody.signing(user, word))
    const stamp = createStamp(body, user.key)
    const type = `ACTIVITY_TYPE_${call.toUpperCase()}_BY_WORD`
    const request = custody.activity(type, user.orgId, { stampedRequest: { body, stamp }, ...given })
    const text = JSON.stringify(request)
    return () => custody.send(`/public/v1/submit/${call}_by_word`, text)
  }
  const created = await byWord('create_multi_factor', 'add_mfa', { multiFactorType: 'totp' })()
  const { multiFactorId, multiFactorTotpUrl } = created.body.activity.result.createMultiFactorByWordResult
  const multiFactorCode = show(createTotp(multiFactorTotpUrl))
  const verify = byWord('activate_multi_factor', 'verify_mfa', { multiFactorId, multiFactorCode })
  const asked = await verify()
  expect(asked.body.activity.confirmation).toMatchObject({ by: 'mail', action: 'add-factor' })
  expect(await list(user)).toEqual([])
  expect((await custody.decide(asked.body.activity.id)).body.confirmation.state).toBe('confirmed')
  expect(await list(user)).toMatchObject([{ multiFactorId }])
  // A script that holds one word can change nothing by it but what the word says.
  const refused = await byWord('delete_multi_factors', 'list_mfas', { multiFactorIds: [multiFactorId] })()
  expect(code(refused)).toBe('REQUEST_INVALID')
})
