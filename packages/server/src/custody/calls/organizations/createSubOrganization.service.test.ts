import { startTestCustody, walletParameters } from '@latchkey/testkit/custody'
import { afterAll, expect, test } from 'vitest'

const custody = await startTestCustody()
afterAll(() => custody.close())

const path = 'submit/create_sub_organization'
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

function request(changes: object = {}, user: object = {}, version = 'V7') {
  return custody.activity(`ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_${version}`, custody.rootOrganizationId, {
    subOrganizationName: 'User',
    rootUsers: [{ userName: 'User', apiKeys: [], authenticators: [], oauthProviders: [], ...user }],
    rootQuorumThreshold: 1,
    wallet: walletParameters,
    ...changes,
  })
}

const count = async (table: 'organizations' | 'users' | 'wallets' | 'activities') => {
  const rowQuery = custody.store.db.selectFrom(table).select(({ fn }) => fn.countAll<string>().as('n'))
  const row = await rowQuery.executeTakeFirst()
  return Number(row?.n)
}

test('returns the documented result', async () => {
  const { status, body } = await custody.call(path, request(), custody.rootKey)
  expect(status).toBe(200)
  const { activity } = body
  expect(activity).toMatchObject({
    organizationId: custody.rootOrganizationId,
    status: 'ACTIVITY_STATUS_COMPLETED',
    type: 'ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V7',
    votes: [],
    canApprove: false,
    canReject: false,
  })
  expect(activity.id).toMatch(uuid)
  expect(activity.fingerprint).toMatch(/^sha256:[0-9a-f]{64}$/)
  expect(activity.createdAt).toEqual({
    seconds: expect.stringMatching(/^\d{10}$/),
    nanos: expect.stringMatching(/^\d+$/),
  })
  expect(Object.keys(activity.intent)).toEqual(['createSubOrganizationIntentV7'])
  expect(activity.intent.createSubOrganizationIntentV7.subOrganizationName).toBe('User')
  expect(activity.result).toEqual({
    createSubOrganizationResultV7: {
      subOrganizationId: expect.stringMatching(uuid),
      wallet: { walletId: expect.stringMatching(uuid), addresses: [expect.stringMatching(/^0x[0-9a-fA-F]{40}$/)] },
      rootUserIds: [expect.stringMatching(uuid)],
    },
  })
})

test('creates the requested wallet, or none', async () => {
  const accounts = [0, 1].map((index) => ({ ...walletParameters.accounts[0], path: `m/44'/60'/0'/0/${index}` }))
  const many = await custody.call(
    path,
    request({ wallet: { walletName: 'W', accounts, mnemonicLength: 24 } }),
    custody.rootKey,
  )
  const { addresses } = many.body.activity.result.createSubOrganizationResultV7.wallet
  expect(new Set(addresses).size).toBe(2)
  const none = await custody.call(path, request({ wallet: undefined }), custody.rootKey)
  expect(none.body.activity.result.createSubOrganizationResultV7).not.toHaveProperty('wallet')
})

test('refuses a used email address and stores nothing', async () => {
  const first = await custody.call(path, request({}, { userEmail: 'once@example.com' }), custody.rootKey)
  expect(first.status).toBe(200)
  const before = [await count('organizations'), await count('users'), await count('wallets'), await count('activities')]
  const second = await custody.call(path, request({}, { userEmail: 'ONCE@example.com' }), custody.rootKey)
  expect(second.status).toBe(400)
  expect(second.body).toMatchObject({
    code: 3,
    message: 'A sub-organization with this email address already exists. Use that one.',
    details: [{ turnkeyErrorCode: 'INVALID_EMAIL' }],
  })
  const after = [await count('organizations'), await count('users'), await count('wallets'), await count('activities')]
  expect(after).toEqual(before)
})

test('refuses another spelling of a used domain', async () => {
  const first = await custody.call(path, request({}, { userEmail: 'once@bücher.example' }), custody.rootKey)
  expect(first.status).toBe(200)
  for (const userEmail of ['once@xn--bcher-kva.example', 'once@BÜCHER.example'])
    expect((await custody.call(path, request({}, { userEmail }), custody.rootKey)).body).toMatchObject({
      details: [{ turnkeyErrorCode: 'INVALID_EMAIL' }],
    })
})

test.each(['ünï@example.com', 'user@localhost', 'user@127.0.0.1'])(
  'refuses an address that no sign-in accepts: %s',
  async (userEmail) => {
    const { status, body } = await custody.call(path, request({}, { userEmail }), custody.rootKey)
    expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining('Must provide a valid email.')])
  },
)

test('names the unsupported parameter', async () => {
  const cases: [ReturnType<typeof request>, string][] = [
    [request({ rootQuorumThreshold: 2 }), 'rootQuorumThreshold'],
    [request({ rootUsers: [] }), 'rootUsers'],
    [request({ rootQuorumThreshold: 0 }), 'rootQuorumThreshold'],
    [request({}, { userPhoneNumber: '+1555' }), 'rootUsers.0.userPhoneNumber'],
    [request({}, { oauthProviders: [{}] }), 'rootUsers.0.oauthProviders'],
    [request({ disableEmailAuth: true }), 'disableEmailAuth'],
    [request({ verificationToken: 'x' }), 'verificationToken'],
    [request({}, { authenticators: [{}] }), 'rootUsers.0.authenticators'],
    [request({}, { userEmail: 'no mail' }), 'Must provide a valid email.'],
    [request({}, { userEmail: 'a@b.c\r\nBcc: d@e.f' }), 'Must provide a valid email.'],
    [request({}, { userEmail: 'a\u0000@b.c' }), 'Must provide a valid email.'],
    [request({}, { userName: 'a\nb' }), 'rootUsers.0.userName'],
    [request({}, { apiKeys: [{ apiKeyName: 'k', publicKey: `02${'ff'.repeat(32)}` }] }), 'is not a point of P-256'],
    [request({ wallet: { ...walletParameters, mnemonicLength: 13 } }), 'wallet.mnemonicLength'],
    [request({ wallet: { walletName: 'W', accounts: [{ ...walletParameters.accounts[0], path: 'm/x' }] } }), 'path'],
    [
      request({ wallet: { walletName: 'W', accounts: [walletParameters.accounts[0], walletParameters.accounts[0]] } }),
      'each path once',
    ],
  ]
  for (const [body, text] of cases) {
    const answer = await custody.call(path, body, custody.rootKey)
    expect([answer.status, answer.body.code], text).toEqual([400, 3])
    expect(answer.body.message).toContain(text)
  }
})
