import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { hashMessage } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createAuthenticator } from '../../../../test/authenticator.ts'
import {
  type Answer,
  linkTemplate,
  startTestCustody,
  type TestCustody,
  type TestUser,
  walletParameters,
} from '../../../../test/custody.ts'
import { createTestExportFrame } from '../../../../test/exportFrame.ts'
import { createApiKeyPair } from '../keys/createApiKeyPair.ts'
import { createStamp } from '../keys/createStamp.ts'

type Key = TestUser['key']
type Case = { name: string; path: string; by: string; stamp?: string; body: string; status: number; code: string }
const corpus: Case[] = JSON.parse(readFileSync(new URL('../../../../test/custodyCorpus.json', import.meta.url), 'utf8'))
const seed = Date.now()
console.log(`seed ${seed}`)

let custody: TestCustody
let user: TestUser
let old: TestUser
const passkey = createAuthenticator()
const keys: Record<string, Key | undefined> = {}
beforeAll(async () => {
  custody = await startTestCustody()
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
  Object.assign(keys, {
    user: user.key,
    old: old.key,
    root: custody.rootKey,
    stranger: createApiKeyPair(),
    expired,
    revoked,
    twice,
  })
})
afterAll(() => custody.close())

async function submit(path: string, type: string, parameters: object): Promise<void> {
  const answer = await custody.call(
    `submit/${path}`,
    custody.activity(`ACTIVITY_TYPE_${type}`, user.orgId, parameters),
    user.key,
  )
  expect(answer.status).toBe(200)
}

/** What every answer promises: no defect, and an error in the documented shape. */
function expectDocumented({ status, body }: Answer): string {
  expect(status, JSON.stringify(body)).toBeLessThan(500)
  if (status === 200) return 'OK'
  expect(body).toMatchObject({ code: expect.any(Number), message: expect.any(String), details: expect.any(Array) })
  const byStatus: Record<number, number> = { 400: 3, 401: 16, 403: 7, 404: 5, 405: 5, 413: 3, 429: 8 }
  expect(body.code).toBe(byStatus[status])
  return body.details[0].turnkeyErrorCode
}

const reached = new Set<string>()

test.each(corpus)('error: $name', async ({ path, by, stamp, body, status, code }) => {
  const text = body
    .replaceAll('$org', user.orgId)
    .replaceAll('$oldOrg', old.orgId)
    .replaceAll('$root', custody.rootOrganizationId)
    .replaceAll('$address', user.address)
    .replaceAll('$email', user.email)
    .replaceAll('$now', String(custody.deps.now?.()))
    .replaceAll('$large', 'x'.repeat(65_537))
    .replaceAll('$deep', '['.repeat(20_000))
  const key = keys[by]
  const headers: Record<string, string> = {}
  if (key) headers['x-stamp'] = createStamp(text, key).stampHeaderValue
  if (stamp) headers['x-stamp'] = stamp
  const answer = await custody.send(`/public/v1/${path}`, text, headers)
  expect([answer.status, expectDocumented(answer)], JSON.stringify(answer.body)).toEqual([status, code])
  reached.add(code)
})

test('behavior: the corpus reaches every documented error of stamps, organizations and activities', () => {
  expect([...reached].sort()).toEqual(
    [
      'API_KEY_EXPIRED',
      'BODY_TOO_LARGE',
      'CREDENTIAL_CONFLICT',
      'CREDENTIAL_NOT_FOUND',
      'INVALID_ACTIVITY_CALLER',
      'INVALID_EMAIL',
      'INVALID_ORGANIZATION_ID',
      'METHOD_NOT_SUPPORTED',
      'NOT_FOUND',
      'ORGANIZATION_MISMATCH',
      'ORGANIZATION_NOT_FOUND',
      'PUBLIC_KEY_NOT_FOUND',
      'REDIRECT_NOT_ALLOWED',
      'REQUEST_INVALID',
      'REQUEST_NOT_AUTHORIZED',
      'SIGNATURE_INVALID',
      'SIGNATURE_MISSING',
    ].sort(),
  )
})

/** Valid requests to change: call, body, and whose stamp. */
function valid(): [path: string, body: Record<string, unknown>, key: Key][] {
  const { targetPublicKey } = createTestExportFrame()
  const own = (type: string, parameters: object) => custody.activity(`ACTIVITY_TYPE_${type}`, user.orgId, parameters)
  const payload = {
    encoding: 'PAYLOAD_ENCODING_HEXADECIMAL',
    hashFunction: 'HASH_FUNCTION_NO_OP',
    payload: hashMessage('x'),
    signWith: user.address,
  }
  return [
    ['query/whoami', { organizationId: user.orgId }, user.key],
    ['query/list_wallet_accounts', { organizationId: user.orgId, paginationOptions: { limit: '5' } }, user.key],
    ['submit/sign_raw_payload', own('SIGN_RAW_PAYLOAD_V2', payload), user.key],
    [
      'submit/export_wallet_account',
      own('EXPORT_WALLET_ACCOUNT', { address: user.address, targetPublicKey }),
      user.key,
    ],
    [
      'submit/create_authenticators',
      own('CREATE_AUTHENTICATORS_V2', {
        userId: user.userId,
        authenticators: [{ authenticatorName: 'p', ...createAuthenticator().register() }],
      }),
      user.key,
    ],
    [
      'submit/stamp_login',
      own('STAMP_LOGIN', { publicKey: createApiKeyPair().publicKey, expirationSeconds: '60' }),
      user.key,
    ],
    [
      'submit/email_auth',
      own('EMAIL_AUTH_V2', {
        email: user.email,
        targetPublicKey,
        emailCustomization: { magicLinkTemplate: linkTemplate },
      }),
      custody.rootKey,
    ],
    [
      'submit/create_sub_organization',
      custody.activity('ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V7', custody.rootOrganizationId, {
        subOrganizationName: 'x',
        rootUsers: [{ userName: 'x', apiKeys: [], authenticators: [], oauthProviders: [] }],
        rootQuorumThreshold: 1,
        wallet: walletParameters,
      }),
      custody.rootKey,
    ],
  ]
}

const odd = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    0,
    -1,
    1e308,
    '',
    '0x',
    '\u0000',
    '\ud800',
    '__proto__',
    'x'.repeat(5_000),
    [],
    {},
    [[[[[]]]]],
  ),
  fc.string(),
  fc.jsonValue(),
)

/** Puts another value at the n-th place of a JSON value, counted depth first. */
function replaceAt(value: unknown, place: { left: number }, other: unknown): unknown {
  if (place.left-- === 0) return other
  if (Array.isArray(value)) return value.map((item) => replaceAt(item, place, other))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, replaceAt(item, place, other)]))
}

test('behavior: requests changed anywhere in their JSON and stamped anew: no defect, always the documented shape', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(7), fc.nat(25), odd, async (which, left, other) => {
      const [path, content, key] = valid()[which] ?? []
      if (!path || !content || !key) return
      const body = JSON.stringify(replaceAt(content, { left }, other)) ?? ''
      expectDocumented(await custody.call(path, body, key))
    }),
    { seed, numRuns: 250 },
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
        const answer = await custody.send('/public/v1/query/whoami', Uint8Array.from(changedBody), {
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
