import { passkeyId, type Reply, type Script, startScript } from '@latchkey/testkit/signer/startScript'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { BaseError } from '../core/errors/BaseError.ts'
import type { Signer } from './types.ts'

// Responses that a broken or overloaded service may send to any call of a signer.

let script: Script
beforeEach(async () => {
  script = await startScript()
})
afterEach(async () => {
  vi.useRealTimers()
  await script.close()
})

const byLink = { type: 'email', bundle: 'bundle', orgId: 'org' } as const
const newPasskey = { type: 'passkey', createNew: true, username: 'ann' } as const
const where = { iframeContainerId: 'here' }
const signed = (verb: (signer: Signer) => Promise<unknown>) => async (): Promise<Call> => {
  const { signer } = script.open()
  await signer.authenticate(byLink)
  return { signer, start: () => verb(signer) }
}
const signIn = (request: Parameters<Signer['authenticate']>[0]) => async (): Promise<Call> => {
  const { signer } = script.open()
  return { signer, start: () => signer.authenticate(request) }
}
type Call = { signer: Signer; start(): Promise<unknown> }

const calls: Record<string, () => Promise<Call>> = {
  '/signer/v1/config': signIn(byLink),
  '/signer/v1/lookup': signIn({ type: 'email', email: 'ann@example.com' }),
  '/signer/v1/auth': signIn({ type: 'email', email: 'ann@example.com' }),
  '/signer/v1/signup': signIn(newPasskey),
  '/signer/v1/whoami': signIn(byLink),
  '/signer/v1/sign-payload': signed((signer) => signer.signMessage('hello')),
  '/public/v1/submit/otp_auth': async () => {
    script.storage.set('alchemy-signer-session:temporary', '{"orgId":"org","otpId":"otp"}')
    return signIn({ type: 'email', code: '123456' })()
  },
  '/public/v1/query/get_authenticators': signed((signer) => signer.listAuthenticators()),
  '/public/v1/query/get_api_keys': signed((signer) => signer.listSessions()),
  '/public/v1/query/get_spending_rules': signed((signer) => signer.getSpendingRules()),
  '/public/v1/submit/set_spending_rules': signed((signer) => signer.setSpendingRules(null)),
  '/public/v1/query/list_wallets': signed((signer) => signer.exportWallet(where)),
  '/public/v1/query/list_wallet_accounts': signed((signer) => signer.exportWallet(where)),
  '/public/v1/submit/export_wallet': signed((signer) => signer.exportWallet(where)),
  '/public/v1/submit/create_authenticators': signed((signer) => signer.addPasskey()),
  '/public/v1/submit/delete_authenticators': signed((signer) => signer.removeAuthenticator('id')),
  '/public/v1/submit/delete_api_keys': signed((signer) => signer.revokeSessions(['id'])),
  '/public/v1/submit/init_import_wallet': signed((signer) => signer.importWallet(where)),
  '/public/v1/submit/import_wallet': async () => {
    const { signer } = script.open()
    await signer.authenticate(byLink)
    const { submit } = await signer.importWallet(where)
    return { signer, start: submit }
  },
}
const paths = Object.keys(calls)
/** One path each of the signer API, custody queries and custody activities. */
const kinds = [
  '/signer/v1/lookup',
  '/signer/v1/whoami',
  '/public/v1/query/list_wallets',
  '/public/v1/submit/import_wallet',
]
const callOf = (path: string): Promise<Call> => (calls[path] as () => Promise<Call>)()
/** Sends `responses` to calls of `path`, one after another, and returns the errors of the calls. */
async function failures(path: string, responses: readonly Reply[]): Promise<(BaseError & { status?: number })[]> {
  const { start, signer } = await callOf(path)
  const before = signer.status
  const errors: BaseError[] = []
  for (const answer of responses) {
    script.reply(path, answer)
    const error: unknown = await start().catch((cause: unknown) => cause)
    expect(error, `${path} took ${JSON.stringify(answer)}`).toBeInstanceOf(BaseError)
    expect([before, 'DISCONNECTED']).toContain(signer.status)
    expect(signer.user === null).toBe(signer.status !== 'CONNECTED')
    errors.push(error as BaseError)
  }
  return errors
}

describe.each(paths)('%s', (path) => {
  test('keeps the message of a refusal and when to try again', async () => {
    const words = 'This is what the service said.'
    const statuses = [400, 401, 502]
    const refusals = statuses.flatMap((status): Reply[] => [
      { status, body: { code: 'X', message: words } },
      { status, text: words, headers: { 'content-type': 'text/plain' } },
    ])
    const busy: Reply = { status: 429, body: { code: 8, message: words }, headers: { 'retry-after': '60' } }
    const errors = await failures(path, [...refusals, busy])
    expect(errors.map(({ code }) => code)).toEqual(errors.map(() => 'HTTP_FAILED'))
    expect(errors.map(({ status }) => status)).toEqual([...statuses.flatMap((status) => [status, status]), 429])
    for (const { message } of errors) expect(message).toContain(words)
    expect(errors.at(-1)).toMatchObject({
      retryAfterMs: 60_000,
      message: expect.stringContaining('Try again in 60 s.'),
    })
  })

  test('refuses responses of another shape', async () => {
    const texts = ['', '<html><body>Welcome to our hotel</body></html>', '{"orgId":', 'null', '5', '"text"']
    const shapes = ['{"orgId":5}', '{"activity":null}', '{"wallets":[null],"accounts":[5],"apiKeys":[null]}']
    // `lookup` may respond without an organization, which means an unknown user.
    const given = [...texts, ...(path.endsWith('/lookup') ? shapes.slice(0, 1) : shapes)]
    const errors = await failures(
      path,
      given.map((text) => ({ text })),
    )
    expect(errors.map(({ code }) => code)).toEqual(given.map(() => 'RESPONSE_INVALID'))
  })
})

test('retries after a short wait', async () => {
  const { signer, start } = await callOf('/signer/v1/sign-payload')
  script.reply('/signer/v1/sign-payload', { status: 429, body: {}, headers: { 'retry-after': '0' } })
  await expect(start()).rejects.toMatchObject({ status: 429 })
  expect(script.requests.filter((path) => path.endsWith('/sign-payload'))).toHaveLength(3)
  expect(signer.status).toBe('CONNECTED')
})

describe('a created passkey', () => {
  const add = '/public/v1/submit/create_authenticators'
  const refusal = (status: number, turnkeyErrorCode: string): Reply => ({
    status,
    body: { code: status === 403 ? 7 : 3, message: 'no', details: [{ turnkeyErrorCode }] },
  })
  const pending = { id: 'id', organizationId: 'org', status: 'ACTIVITY_STATUS_PENDING', result: {} }
  const taken: Reply = { status: 400, body: { code: 'CREDENTIAL_CONFLICT', message: 'no' } }

  test.each<[string, string, Record<string, Reply>, string[]]>([
    ['and may not be added', add, { [add]: refusal(403, 'REQUEST_NOT_AUTHORIZED') }, [passkeyId]],
    // The first request may have succeeded although its response was lost.
    ['and is there already', add, { [add]: refusal(400, 'CREDENTIAL_CONFLICT') }, []],
    ['and whose person is there already', '/signer/v1/signup', { '/signer/v1/signup': taken }, []],
    [
      'and of whose end nothing is told',
      add,
      { [add]: { body: { activity: pending } }, '/public/v1/query/get_activity': refusal(401, 'API_KEY_EXPIRED') },
      [],
    ],
  ])('forgets a passkey %s only if it is useless', async (_, path, answers, forgotten) => {
    const { start } = await callOf(path)
    for (const [asked, answer] of Object.entries(answers)) script.reply(asked, answer)
    await expect(start()).rejects.toBeInstanceOf(BaseError)
    expect(script.forgotten).toEqual(forgotten)
  })
})

test.each(kinds)('times out without a response from %s', async (path) => {
  const { start } = await callOf(path)
  script.reply(path, 'never')
  const before = script.requests.length
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const ended = start().catch((error: BaseError) => error)
  await vi.waitUntil(() => script.requests.slice(before).includes(path))
  vi.advanceTimersByTime(30_000)
  expect(await ended).toMatchObject({
    code: 'TIMEOUT',
    message: expect.stringContaining(script.url),
    shortMessage: 'The service did not respond in time. Try again.',
  })
})

describe.each(['destroy', 'disconnect'] as const)('%s', (end) => {
  test.each(kinds)('immediately ends a call that waits for %s', async (path) => {
    const { start, signer } = await callOf(path)
    script.reply(path, 'never')
    const before = script.requests.length
    const ended = start().catch((error: BaseError) => error.code)
    await vi.waitUntil(() => script.requests.slice(before).includes(path))
    signer[end]()
    expect(await ended).toBe('ABORTED')
    expect([signer.status, signer.user]).toEqual(['DISCONNECTED', null])
  })

  test('ends calls that wait for a silent frame', async () => {
    const { signer } = script.open()
    await signer.authenticate(byLink)
    script.frame = () => undefined
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const waiting = [
      signer.signMessage('x'),
      signer.exportWallet(where),
      signer.importWallet(where),
      signer.listSessions(),
    ]
    const codes = Promise.all(waiting.map((call) => call.catch((error: BaseError) => error.code)))
    await new Promise((resolve) => setImmediate(resolve))
    const done = signer[end]()
    expect(signer.status).toBe('DISCONNECTED')
    // `disconnect` waits a few seconds for the frame.
    await vi.advanceTimersByTimeAsync(7_000)
    expect(new Set(await codes)).toEqual(new Set(['ABORTED']))
    await done
  })
})

test('aborts a sign-in at every step by its signal', async () => {
  for (const path of ['config', 'lookup', 'auth', 'whoami', 'signup'].map((name) => `/signer/v1/${name}`)) {
    const { signer } = script.open()
    script.reply(path, 'never')
    const controller = new AbortController()
    const { signal } = controller
    const email = { type: 'email', email: 'ann@example.com', signal } as const
    const requests = {
      config: email,
      lookup: email,
      auth: email,
      whoami: { ...byLink, signal },
      signup: { ...newPasskey, signal },
    }
    const before = script.requests.length
    const request = requests[path.split('/').at(-1) as keyof typeof requests]
    const ended = signer.authenticate(request).catch((error: BaseError) => error.code)
    await vi.waitUntil(() => script.requests.slice(before).includes(path))
    controller.abort()
    expect([await ended, signer.status]).toEqual(['ABORTED', 'DISCONNECTED'])
    signer.destroy()
    await script.close()
    script = await startScript()
  }
})

test('sends no mail for a request superseded during the look-up', async () => {
  const { signer } = script.open()
  script.reply('/signer/v1/lookup', 'never')
  const first = signer
    .authenticate({ type: 'email', email: 'first@example.com' })
    .catch((error: BaseError) => error.code)
  await vi.waitUntil(() => script.requests.includes('/signer/v1/lookup'))
  script.reply('/signer/v1/lookup', 'usual')
  const second = signer
    .authenticate({ type: 'email', email: 'ann@example.com' })
    .catch((error: BaseError) => error.code)
  await expect.poll(() => signer.status).toBe('AWAITING_EMAIL_AUTH')
  expect(await first).toBe('SUPERSEDED')
  expect(script.requests.filter((path) => path.endsWith('/auth'))).toHaveLength(1)
  await signer.disconnect()
  expect(await second).toBe('ABORTED')
})

test('sends no incomplete request and no digest of another length', async () => {
  const { signer } = script.open()
  await signer.authenticate(byLink)
  const before = script.requests.length
  const requests: unknown[] = [
    undefined,
    {},
    { type: 'email', email: '' },
    { type: 'passkey', createNew: true },
    { type: 'sms' },
  ]
  const calls = requests.map((request) => signer.authenticate(request as typeof byLink))
  const digests = ['0x', `0x${'00'.repeat(31)}`, '00'.repeat(32)].map((hash) => signer.signRawMessage(hash as '0x'))
  const codes = await Promise.all([...calls, ...digests].map((call) => call.catch((error: BaseError) => error.code)))
  expect(new Set(codes)).toEqual(new Set(['REQUEST_INVALID']))
  expect(script.requests).toHaveLength(before)
  expect(signer.status).toBe('CONNECTED')
})
