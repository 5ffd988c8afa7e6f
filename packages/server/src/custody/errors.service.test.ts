import { randomUUID } from 'node:crypto'
import { type Reply, startTestCustody, type TestCustody, type TestUser } from '@latchkey/testkit/custody'
import recordedCorpus from '@latchkey/testkit/custodyCorpus.json' with { type: 'json' }
import { createOwner, submission } from '@latchkey/testkit/custodyExamples'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { listen } from '../http/listen.ts'
import { createApiKeyPair } from '../keys/createApiKeyPair.ts'
import { createStamp } from '../keys/createStamp.ts'
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

let custody: TestCustody
let server: listen.ReturnType
let user: TestUser
let old: TestUser
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
  user = await custody.createUser()
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

test.each(corpus)('answers $name with its code', async ({ path, by, stamp, body, status, code, message }) => {
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

test('reaches every documented error', () => {
  // What waits for a person, is being deleted or frozen has tests of its own.
  const own = /^(?:CONFIRMATION_|ORGANIZATION_(?:DELETING|FROZEN))/
  expect([...reached].sort()).toEqual(
    Object.keys(custodyStatuses)
      .filter((code) => !own.test(code))
      .sort(),
  )
})
