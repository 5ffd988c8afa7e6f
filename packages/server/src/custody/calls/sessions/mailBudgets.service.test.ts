import { randomUUID } from 'node:crypto'
import { linkTemplate, startTestCustody, type TestUser } from '@latchkey/testkit/custody'
import { p256 } from '@noble/curves/nist.js'
import { afterAll, expect, test } from 'vitest'
import { returnCodeDigits, takeCodeDigits } from '../../credentials/codeBudget.ts'
import { unusedCodes } from '../../custodyLimits.ts'

const six = { id: 'six', name: 'Six', apiKey: 'key-of-six', redirectUrls: ['https://six.example/'] }
const sixRoot = randomUUID()
const custody = await startTestCustody({
  projects: [
    {
      ...six,
      allowedOrigins: ['https://six.example'],
      organizationId: sixRoot,
      codes: 'six-digits',
      parentCredentials: 'allowed',
      linkSeconds: 3_600,
    },
  ],
})
afterAll(() => custody.close())

const targetPrivate = p256.utils.randomSecretKey()
const targetPublicKey = Buffer.from(p256.getPublicKey(targetPrivate, false)).toString('hex')
const askForMail = (to: TestUser, more: object = {}) => custody.askForMail(to, { targetPrivate, ...more })

const readStatus = async ({ orgId }: TestUser, key: TestUser['key'], path = 'query/whoami') =>
  (await custody.call(path, { organizationId: orgId }, key)).status
const enter = async ({ orgId }: TestUser, { otpId, code }: { otpId: string; code: string }) =>
  (
    await custody.send(
      '/public/v1/submit/otp_auth',
      JSON.stringify(custody.activity('ACTIVITY_TYPE_OTP_AUTH', orgId, { otpId, otpCode: code, targetPublicKey })),
    )
  ).status

test('lengthens codes after too many unused ones, not counting used codes', async () => {
  const user = await custody.createUser()
  expect(await enter(user, await askForMail(user))).toBe(200)
  expect(await readStatus(user, (await askForMail(user)).key)).toBe(200)
  const { limit } = unusedCodes.ofUser.usual
  const at = { userId: user.userId, rootOrgId: custody.rootOrganizationId, asker: null, isSixDigits: false }
  for (let mails = 1; mails < limit; mails++) expect(await takeCodeDigits(custody.store.db, at)).toBe(9)
  expect((await askForMail(user)).code).toHaveLength(9)
  const long = await askForMail(user)
  expect(long.code).toMatch(/^\d{15}$/)
  expect(await enter(user, long)).toBe(200)
  expect((await askForMail(await custody.createUser())).code).toHaveLength(9)
})

test('keeps one asker from using up the budget of a user or the parent', async () => {
  const { db } = custody.store
  const at = (asker: string | null, userId: string) => ({
    userId,
    rootOrgId: custody.rootOrganizationId,
    asker,
    isSixDigits: false,
  })
  const take = (asker: string | null, userId: string) => takeCodeDigits(db, at(asker, userId))
  const victim = randomUUID()
  const lengths = []
  for (let mails = 0; mails < 60; mails++) lengths.push(await take('stranger', victim))
  const { limit } = unusedCodes.ofAskerForUser
  expect(lengths).toEqual([...Array(limit).fill(9), ...Array(60 - limit).fill(15)])
  expect(await take('owner', victim)).toBe(9)
  expect(await take(null, victim)).toBe(9)

  const spray = []
  for (let mails = 0; mails < unusedCodes.ofAsker.limit; mails++) spray.push(await take('stranger', randomUUID()))
  expect(spray.filter((digits) => digits === 9)).toHaveLength(unusedCodes.ofAsker.limit - limit)
  await returnCodeDigits(db, { ...at('stranger', victim), digits: 9 })
  expect([await take('stranger', randomUUID()), await take('stranger', randomUUID())]).toEqual([9, 15])
})

test('mails six-digit codes to projects that require them', async () => {
  const user = await custody.createUser({ rootOrganizationId: sixRoot })
  const more = { emailCustomization: { magicLinkTemplate: 'https://six.example/?bundle=%s' } }
  const lengths = []
  for (let mails = 0; mails <= unusedCodes.ofUser.six.limit; mails++)
    lengths.push((await askForMail(user, more)).code.length)
  expect(lengths).toEqual([...Array(unusedCodes.ofUser.six.limit).fill(6), 15])
})

test("opens a link within the project's time; the session lasts as long as requested", async () => {
  for (const [rootOrganizationId, life, magicLinkTemplate] of [
    [custody.rootOrganizationId, 15, linkTemplate],
    [sixRoot, 60, 'https://six.example/?bundle=%s'],
  ] as const) {
    const user = await custody.createUser({ rootOrganizationId })
    // Clients of Account Kit 3.14.1 send 15 minutes in milliseconds.
    const more = { expirationSeconds: '900000', emailCustomization: { magicLinkTemplate } }
    const [late, early] = [await askForMail(user, more), await askForMail(user, more)]
    expect((late.expiresAtMs - (custody.deps.now?.() ?? 0)) / 60_000).toBeCloseTo(life, 0)
    custody.advance((life - 1) * 60_000)
    expect(await readStatus(user, early.key, 'query/list_wallets')).toBe(200)
    custody.advance(2 * 60_000)
    const refused = await custody.call('query/whoami', { organizationId: user.orgId }, late.key)
    expect(refused).toMatchObject({
      status: 401,
      body: {
        message: 'This link has expired. Ask for a new email.',
        details: [{ turnkeyErrorCode: 'API_KEY_EXPIRED' }],
      },
    })
    custody.advance(20 * 3_600_000)
    expect(await readStatus(user, early.key)).toBe(200)
    custody.advance(4 * 3_600_000)
    expect(await readStatus(user, early.key)).toBe(401)
  }
})

test('ends the oldest session when an eleventh mail is opened, not when it is sent', async () => {
  const user = await custody.createUser()
  const sessions = []
  for (let count = 0; count < 9; count++) {
    const { key } = await askForMail(user)
    expect(await readStatus(user, key)).toBe(200)
    custody.advance(1_000)
    sessions.push(key)
  }
  const mails = []
  for (let count = 0; count < 3; count++) mails.push(await askForMail(user))
  // Including the sign-up session, the user has ten sessions.
  for (const key of [user.key, ...sessions]) expect(await readStatus(user, key)).toBe(200)
  expect(await readStatus(user, mails[0]?.key ?? user.key)).toBe(200)
  expect(await readStatus(user, user.key)).toBe(401)
  for (const key of sessions) expect(await readStatus(user, key)).toBe(200)
})
