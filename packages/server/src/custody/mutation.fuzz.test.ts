import { randomUUID } from 'node:crypto'
import { createAuthenticator } from '@latchkey/testkit/authenticator'
import { type Reply, startTestCustody, type TestCustody, type TestUser } from '@latchkey/testkit/custody'
import recordedCorpus from '@latchkey/testkit/custodyCorpus.json' with { type: 'json' }
import { createOwner, type Owner, question, submission, submitExamples } from '@latchkey/testkit/custodyExamples'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { listen } from '../http/listen.ts'
import { createApiKeyPair } from '../keys/createApiKeyPair.ts'
import { createStamp } from '../keys/createStamp.ts'
import { queries, submits } from './calls/table.ts'
import { custodyStatuses } from './custodyError.ts'
import { takeCustodyToken } from './custodyTokens.ts'

/** Over HTTP. An answer that takes longer than this fails its test. */
const boundMs = 30_000

type Key = TestUser['key']
type Case = {
  name: string
  path: string
  by: string
  stamp?: string
  body: string
  status: number
  code: string
  /** Where the protocol has the very words. */
  message?: string
}
const corpus: Case[] = recordedCorpus
const seed = Date.now()
console.log(`seed ${seed}`)

let custody: TestCustody
let server: listen.ReturnType
let user: TestUser
let old: TestUser
const passkey = createAuthenticator()
/** A project that permits no keys of the parent. */
const strict = {
  id: 'strict',
  name: 'Strict',
  apiKey: 'strict-api-key',
  redirectUrls: ['https://strict.example/'],
  allowedOrigins: ['https://strict.example'],
  organizationId: randomUUID(),
}
const keys: Record<string, Key | undefined> = {}
const words: Record<string, string> = {}
beforeAll(async () => {
  custody = await startTestCustody({ projects: [strict] })
  server = await listen((request) => custody.app.fetch(request), { port: 0 })
  old = await custody.createUser()
  const expired = createApiKeyPair()
  const apiKey = {
    apiKeyName: 'x',
    publicKey: expired.publicKey,
    curveType: 'API_KEY_CURVE_P256',
    expirationSeconds: '60',
  }
  const twice = createApiKeyPair()
  await custody.createUser({ key: twice })
  await custody.createUser({ key: twice })
  custody.advance(6 * 60_000)
  user = await custody.createUser({ passkeys: [passkey.register()] })
  const revoked = createApiKeyPair()
  for (const added of [apiKey, { ...apiKey, publicKey: revoked.publicKey, expirationSeconds: '3600' }])
    await submit('create_api_keys', 'CREATE_API_KEYS_V2', { userId: user.userId, apiKeys: [added] })
  const { body } = await custody.call(
    'query/get_api_keys',
    { organizationId: user.orgId, userId: user.userId },
    user.key,
  )
  const { apiKeyId } = body.apiKeys.find(
    (key: { credential: { publicKey: string } }) => key.credential.publicKey === revoked.publicKey,
  )
  await submit('delete_api_keys', 'DELETE_API_KEYS', { userId: user.userId, apiKeyIds: [apiKeyId] })
  custody.advance(90_000)
  const busy = await custody.createUser()
  await takeCustodyToken(custody.store.db, { key: `activities ${busy.orgId}`, limit: 1, windowMs: 7_200_000 })
  Object.assign(keys, {
    user: user.key,
    old: old.key,
    root: custody.rootKey,
    stranger: createApiKeyPair(),
    expired,
    revoked,
    twice,
    busy: busy.key,
  })
  const planted = await custody.createUser({ rootOrganizationId: strict.organizationId })
  const mailed = await createOwner(custody)
  const { parameters } = (await submission(custody, mailed, 'otp_auth')) as { parameters: Record<string, string> }
  Object.assign(words, {
    $mailedOrg: mailed.orgId,
    $otpId: parameters.otpId,
    $wrongCode: String((Number(parameters.otpCode) + 1) % 1_000_000_000).padStart(9, '0'),
    $target: parameters.targetPublicKey,
    $org: user.orgId,
    $oldOrg: old.orgId,
    $strictOrg: planted.orgId,
    $strictEmail: planted.email,
    $busyOrg: busy.orgId,
    $root: custody.rootOrganizationId,
    $address: user.address,
    $email: user.email,
    $large: 'x'.repeat(65_537),
    $deep: '['.repeat(20_000),
  })
})
afterAll(async () => {
  await server?.close()
  await custody?.close()
})

async function submit(path: string, type: string, parameters: object): Promise<void> {
  const answer = await custody.call(
    `submit/${path}`,
    custody.activity(`ACTIVITY_TYPE_${type}`, user.orgId, parameters),
    user.key,
  )
  expect(answer.status).toBe(200)
}

async function send(
  path: string,
  body: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string>,
): Promise<Reply & { headers: Headers }> {
  const signal = AbortSignal.timeout(boundMs)
  const response = await fetch(`${server.url}/public/v1/${path}`, { method: 'POST', body, headers, signal })
  return { status: response.status, headers: response.headers, body: await response.json() }
}

const grpcCodes: Record<number, number> = { 400: 3, 401: 16, 403: 7, 404: 5, 405: 5, 413: 3, 429: 8 }
/** Where a code has two statuses. */
const seconds: Record<string, number> = { CREDENTIAL_CONFLICT: 400, METHOD_NOT_SUPPORTED: 405 }

/** Checks what every response promises: no defect, and errors in the documented shape. Returns its code. */
function expectDocumented({ status, body }: Reply): string {
  expect(status, `${JSON.stringify(body)}\n${custody.logs.at(-1)}`).toBeLessThan(500)
  if (status === 200) return 'OK'
  expect(body).toMatchObject({ code: grpcCodes[status], message: expect.any(String), details: expect.any(Array) })
  expect(body.message.length).toBeGreaterThan(10)
  const code: keyof typeof custodyStatuses = body.details[0].turnkeyErrorCode
  expect([custodyStatuses[code], seconds[code]], code).toContain(status)
  return code
}

const reached = new Set<string>()

test.each(corpus)('error: $name', async ({ path, by, stamp, body, status, code, message }) => {
  words.$now = String(custody.deps.now?.())
  const fill = (template: string) => template.replace(/\$\w+/g, (word) => words[word] ?? word)
  const text = fill(body)
  const key = keys[by]
  const headers: Record<string, string> = {}
  if (key) headers['x-stamp'] = createStamp(text, key).stampHeaderValue
  if (stamp) headers['x-stamp'] = stamp
  const answer = await send(path, text, headers)
  expect([answer.status, expectDocumented(answer)], JSON.stringify(answer.body)).toEqual([status, code])
  if (message !== undefined) expect(answer.body.message).toBe(fill(message))
  expect(answer.body.details[0]).toEqual({
    '@type': 'type.googleapis.com/errors.v1.TurnkeyErrorDetail',
    turnkeyErrorCode: code,
  })
  if (status === 429) expect(answer.headers.get('retry-after')).toMatch(/^[1-9]\d*$/)
  if (code === 'METHOD_NOT_SUPPORTED') expect(answer.body.message).toContain(path.split('/')[1])
  reached.add(code)
})

test('behavior: the corpus reaches every documented error', () => {
  // What waits for a person, is being deleted or frozen has tests of its own.
  const own = /^(?:CONFIRMATION_|ORGANIZATION_(?:DELETING|FROZEN))/
  expect([...reached].sort()).toEqual(
    Object.keys(custodyStatuses)
      .filter((code) => !own.test(code))
      .sort(),
  )
})

const nasty = fc.constantFrom<unknown>(
  null,
  true,
  0,
  -1,
  2 ** 53,
  1e308,
  '',
  ' ',
  '0',
  '-1',
  '99999999999999999999',
  '\u0000',
  'a\u0000b',
  '\ud800',
  '😀'.repeat(60),
  'x'.repeat(5_000),
  '0x',
  '__proto__',
  '00000000-0000-0000-0000-000000000000',
  "'; drop table users; --",
  [],
  [[[[[]]]]],
  [null],
  {},
  { __proto__: null, constructor: 1 },
  { a: { a: { a: { a: [{}] } } } },
)

/** Every place in a JSON value, as the keys that lead there. */
function placesOf(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  const inner = typeof value === 'object' && value !== null ? Object.entries(value) : []
  return [path, ...inner.flatMap(([key, each]) => placesOf(each, [...path, key]))]
}

/** The value with something else at a place; `undefined` takes it away. */
function replaceAt(value: unknown, [key, ...rest]: readonly string[], by: unknown): unknown {
  if (key === undefined) return by
  const copy: Record<string, unknown> = Object.assign(Array.isArray(value) ? [] : {}, value)
  copy[key] = replaceAt(copy[key], rest, by)
  return copy
}

/** Found by earlier runs: requests that once got a wrong response. */
const earlier: { call: string; path: readonly string[]; by: unknown }[] = [
  { call: 'list_suborgs', path: ['filterValue'], by: 'a\u0000b' },
  { call: 'list_activities', path: ['filterByType'], by: ['\u0000'] },
  { call: 'list_activities', path: ['filterByStatus'], by: ['\u0000'] },
  { call: 'sign_raw_payload', path: ['parameters', 'payload'], by: '\u0000' },
  { call: 'get_user', path: ['userId'], by: '\u0000' },
]

type Valid = { owner: Owner; body: object }

/** A valid request of a call, in an organization of its own: what another one ends does not matter to it. */
async function prepare(call: string): Promise<Valid> {
  const owner = await createOwner(custody, submitExamples[call]?.threshold)
  const write = call in submits ? submission : question
  return { owner, body: await write(custody, owner, call) }
}

test('behavior: every call changed anywhere in its JSON and stamped again: no defect, always the documented shape', async () => {
  const prepared = new Map<string, Valid>()
  async function check(call: string, mutate: (body: object) => unknown): Promise<void> {
    const { owner, body } = prepared.get(call) ?? (await prepare(call))
    const text = JSON.stringify(mutate(body)) ?? ''
    const key = submitExamples[call]?.by === 'parent' ? custody.rootKey : owner.key
    const stamp = createStamp(text, key)
    const path = `${call in submits ? 'submit' : 'query'}/${call}`
    const answer = await send(path, text, { [stamp.stampHeaderName]: stamp.stampHeaderValue })
    expectDocumented(answer)
    // Done, or its session ended: prepare the next request of this call again.
    if ((answer.status === 200 && call in submits) || answer.status === 401) prepared.delete(call)
    else prepared.set(call, { owner, body })
  }
  for (const { call, path, by } of earlier) await check(call, (body) => replaceAt(body, path, by))
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...Object.keys(submits), ...Object.keys(queries)),
      fc.nat(),
      fc.oneof(nasty, fc.constant(undefined), fc.string(), fc.jsonValue({ maxDepth: 2 })),
      (call, at, by) =>
        check(call, (body) => {
          const places = placesOf(body)
          return replaceAt(body, places[at % places.length] ?? [], by)
        }),
    ),
    { seed, numRuns: 500, endOnFailure: true },
  )
})

test('behavior: stamps and bodies with bytes changed, cut or repeated are refused', async () => {
  const edit = fc.record({ at: fc.nat(2_000), byte: fc.nat(255), kind: fc.constantFrom('change', 'cut', 'repeat') })
  const apply = (bytes: Buffer, { at, byte, kind }: { at: number; byte: number; kind: string }): Buffer => {
    const place = at % bytes.length
    if (kind === 'cut') return bytes.subarray(0, place)
    if (kind === 'repeat') return Buffer.concat([bytes.subarray(0, place), bytes.subarray(Math.max(0, place - 1))])
    const changed = Buffer.from(bytes)
    changed[place] = byte
    return changed
  }
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('x-stamp', 'x-stamp-webauthn'),
      fc.constantFrom('stamp', 'body', 'inner'),
      edit,
      async (name, what, change) => {
        const body = Buffer.from(JSON.stringify({ organizationId: user.orgId }))
        const stamp = name === 'x-stamp' ? createStamp(body, user.key).stampHeaderValue : passkey.stamp(body.toString())
        const inner = (text: string) => apply(Buffer.from(text, 'base64url'), change).toString('base64url')
        const changedStamp =
          what === 'stamp'
            ? apply(Buffer.from(stamp), change).toString('latin1')
            : what === 'inner' && name === 'x-stamp'
              ? inner(stamp)
              : stamp
        const changedBody = what === 'body' ? apply(body, change) : body
        if (!/^[\x20-\x7e]*$/.test(changedStamp)) return
        const answer = await send('query/whoami', Uint8Array.from(changedBody), {
          [name]: changedStamp,
        })
        const isSame = changedStamp === stamp && body.equals(changedBody)
        const code = expectDocumented(answer)
        // A header may be written otherwise and still be the same stamp: white space, padding, the case of hex digits.
        if (code === 'OK' && !isSame) expect(body.equals(changedBody)).toBe(true)
      },
    ),
    { seed, numRuns: 250 },
  )
})
