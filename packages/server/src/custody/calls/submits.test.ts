import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { errorCodes } from 'latchkey/wire'
import { serializeTransaction } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createAuthenticator } from '../../../../../test/authenticator.ts'
import {
  linkTemplate,
  startTestCustody,
  type TestCustody,
  type TestUser,
  walletParameters,
} from '../../../../../test/custody.ts'
import { createTestExportFrame } from '../../../../../test/exportFrame.ts'
import { createApiKeyPair } from '../../keys/createApiKeyPair.ts'
import { queries } from './queries.ts'
import { submits } from './submits.ts'

type Known = { walletId: string; activityId: string; apiKeyId: string; authenticatorId: string }

let custody: TestCustody
let user: TestUser
let known: Known
let calls: Record<string, Call>
beforeAll(async () => {
  custody = await startTestCustody()
  await signUp()
})
afterAll(() => custody.close())

/** A new user, and the ids of what is theirs. */
async function signUp(): Promise<void> {
  user = await custody.createUser({ passkeys: [createAuthenticator().register()] })
  const query = { organizationId: user.orgId }
  const read = async (call: string) => (await custody.call(`query/${call}`, query, user.key)).body
  const { users, wallets } = (await read('get_organization')).organizationData
  known = {
    walletId: wallets[0].walletId,
    activityId: randomUUID(),
    apiKeyId: users[0].apiKeys[0].apiKeyId,
    authenticatorId: users[0].authenticators[0].authenticatorId,
  }
  calls = validCalls(user)
}

type Call = { type: string; parameters: Record<string, unknown> }

/** A request of each kind as it should be. */
function validCalls({ userId, address, email }: TestUser): Record<string, Call> {
  const target = { targetPublicKey: createTestExportFrame().targetPublicKey }
  const payload = { signWith: address, encoding: 'PAYLOAD_ENCODING_TEXT_UTF8', hashFunction: 'HASH_FUNCTION_SHA256' }
  const apiKeys = [{ apiKeyName: 'k', publicKey: createApiKeyPair().publicKey, curveType: 'API_KEY_CURVE_P256' }]
  const authenticators = [{ authenticatorName: 'p', ...createAuthenticator().register() }]
  const transaction = serializeTransaction({ type: 'eip1559', chainId: 1, nonce: 0, to: `0x${'11'.repeat(20)}` })
  const { walletId } = known
  const account = { ...walletParameters.accounts[0], path: "m/44'/60'/0'/0/7" }
  const sealed = {
    encryptedBundle: JSON.stringify({ encappedPublic: target.targetPublicKey, ciphertext: '00'.repeat(48) }),
  }
  const rootUsers = [
    { userName: 'U', userEmail: `${randomUUID()}@example.com`, apiKeys, authenticators, oauthProviders: [] },
  ]
  const parametersOf: Record<string, [parameters: Record<string, unknown>, version?: string]> = {
    create_sub_organization: [
      { subOrganizationName: 'O', rootUsers, rootQuorumThreshold: 1, wallet: walletParameters },
      '_V7',
    ],
    email_auth: [{ email, ...target, emailCustomization: { magicLinkTemplate: linkTemplate } }, '_V2'],
    create_read_write_session: [{ ...target, userId, expirationSeconds: '600' }, '_V2'],
    stamp_login: [{ publicKey: createApiKeyPair().publicKey, expirationSeconds: '600' }],
    sign_raw_payload: [{ ...payload, payload: 'hello' }, '_V2'],
    sign_raw_payloads: [{ ...payload, payloads: ['hello', 'you'] }],
    sign_transaction: [
      { signWith: address, unsignedTransaction: transaction, type: 'TRANSACTION_TYPE_ETHEREUM' },
      '_V2',
    ],
    create_wallet: [{ ...walletParameters, accounts: [], mnemonicLength: 12 }],
    create_wallet_accounts: [{ walletId, accounts: [account] }],
    export_wallet: [{ walletId, ...target, language: 'MNEMONIC_LANGUAGE_ENGLISH' }],
    export_wallet_account: [{ address, ...target }],
    export_private_key: [{ privateKeyId: randomUUID(), ...target }],
    init_import_wallet: [{ userId }],
    import_wallet: [{ userId, walletName: 'W', ...sealed, accounts: walletParameters.accounts }],
    init_import_private_key: [{ userId }],
    import_private_key: [
      {
        userId,
        privateKeyName: 'K',
        ...sealed,
        curve: 'CURVE_SECP256K1',
        addressFormats: ['ADDRESS_FORMAT_ETHEREUM'],
      },
    ],
    create_authenticators: [{ userId, authenticators }, '_V2'],
    delete_authenticators: [{ userId, authenticatorIds: [known.authenticatorId] }],
    create_api_keys: [{ userId, apiKeys }, '_V2'],
    delete_api_keys: [{ userId, apiKeyIds: [known.apiKeyId] }],
    update_user: [{ userId, userName: 'U', userEmail: email }],
    delete_sub_organization: [{ deleteWithoutExport: false }],
  }
  return Object.fromEntries(
    Object.entries(parametersOf).map(([call, [parameters, version = '']]) => [
      call,
      { type: `ACTIVITY_TYPE_${call.toUpperCase()}${version}`, parameters },
    ]),
  )
}

/** What a parent's key does, and in which organization. */
const isParents = (call: string) => call === 'create_sub_organization' || call === 'email_auth'
const targetOf = (call: string) => (call === 'create_sub_organization' ? custody.rootOrganizationId : user.orgId)

test('default: each call has a test of who may not make it', async () => {
  expect(
    Object.keys(calls)
      .filter((call) => call !== 'otp_auth')
      .sort(),
  ).toEqual(
    Object.keys(submits)
      .filter((call) => call !== 'otp_auth')
      .sort(),
  )
  const stranger = await custody.createUser()
  for (const [call, { type, parameters }] of Object.entries(calls)) {
    const request = () => JSON.stringify(custody.activity(type, targetOf(call), parameters))
    const other = await custody.call(`submit/${call}`, request(), stranger.key)
    expect([call, other.status, other.body.code]).toEqual([call, 401, 16])
    const wrong = await custody.call(`submit/${call}`, request(), isParents(call) ? user.key : custody.rootKey)
    // Nobody of a sub-organization is known in its parent; a parent is known below, but may do nothing there.
    const expected = call === 'create_sub_organization' ? [401, 16] : call === 'email_auth' ? [403, 7] : [400, 3]
    expect([call, wrong.status, wrong.body.code]).toEqual([call, ...expected])
    const unstamped = await custody.send(`/public/v1/submit/${call}`, request())
    expect([call, unstamped.status, unstamped.body.code]).toEqual([call, 401, 16])
    const elsewhere = call === 'sign_raw_payload' ? 'create_wallet' : 'sign_raw_payload'
    const mixed = await custody.call(`submit/${elsewhere}`, request(), isParents(call) ? custody.rootKey : user.key)
    expect([call, mixed.status, mixed.body.code]).toEqual([call, 400, 3])
  }
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
  'x'.repeat(5000),
  '0x',
  '__proto__',
  '00000000-0000-0000-0000-000000000000',
  "'; drop table users; --",
  [],
  [[]],
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

/** Of earlier runs: what once was answered wrongly. */
const corpus: { call: string; path: readonly string[]; by: unknown }[] = [
  { call: 'list_suborgs', path: ['filterValue'], by: 'a\u0000b' },
  { call: 'list_activities', path: ['filterByType', '0'], by: '\u0000' },
  { call: 'list_activities', path: ['filterByStatus', '0'], by: '\u0000' },
  { call: 'sign_raw_payload', path: ['parameters', 'payload'], by: '\u0000' },
  { call: 'get_user', path: ['userId'], by: '\u0000' },
]

const validQueries = (): Record<string, Record<string, unknown>> => ({
  whoami: {},
  get_activity: { activityId: known.activityId },
  list_activities: { filterByStatus: ['x'], filterByType: ['y'], paginationOptions: { limit: '3' } },
  list_wallets: {},
  list_wallet_accounts: { walletId: known.walletId, paginationOptions: { limit: '3', after: known.walletId } },
  get_wallet: { walletId: known.walletId },
  list_private_keys: {},
  get_organization: {},
  get_user: { userId: user.userId },
  list_users: {},
  get_authenticators: { userId: user.userId },
  get_api_keys: { userId: user.userId },
  list_suborgs: { filterType: 'EMAIL', filterValue: 'x', paginationOptions: { limit: '3', before: known.walletId } },
})

test('behavior: requests with something wrong anywhere are refused as documented, never by a 500', async () => {
  const seed = Date.now()
  console.info(`seed ${seed}`)
  expect(Object.keys(validQueries()).sort()).toEqual(Object.keys(queries).sort())
  const names = [...Object.keys(calls), ...Object.keys(queries)]
  const seen = new Set<string>()
  async function check(call: string, mutate: (body: Record<string, unknown>) => unknown): Promise<void> {
    const activity = calls[call]
    const organizationId = call === 'create_sub_organization' ? custody.rootOrganizationId : user.orgId
    const body = activity
      ? custody.activity(activity.type, organizationId, activity.parameters)
      : { organizationId, ...validQueries()[call] }
    // What would end the user's session is not asked for.
    if (call === 'delete_sub_organization' || call === 'delete_api_keys') body.organizationId = randomUUID()
    const text = JSON.stringify(mutate(body)) ?? ''
    const path = `${activity ? 'submit' : 'query'}/${call}`
    const answer = await custody.call(path, text, isParents(call) ? custody.rootKey : user.key)
    if (answer.status === 200) return
    expect([400, 401, 403, 404, 413, 429], `${path} ${text.slice(0, 500)}\n${custody.logs.at(-1)}`).toContain(
      answer.status,
    )
    const { code, message, details } = answer.body
    expect([3, 5, 7, 8, 16]).toContain(code)
    expect(message.length).toBeGreaterThan(10)
    expect(Object.keys(errorCodes)).toContain(details[0].turnkeyErrorCode)
    seen.add(details[0].turnkeyErrorCode)
    // Its session ended by one of the requests.
    if (answer.status === 401) await signUp()
  }
  for (const { call, path, by } of corpus) await check(call, (body) => replaceAt(body, path, by))
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...names),
      fc.nat(),
      fc.oneof(nasty, fc.constant(undefined), fc.jsonValue({ maxDepth: 2 })),
      (call, at, by) =>
        check(call, (body) => {
          const places = placesOf(body)
          return replaceAt(body, places[at % places.length] ?? [], by)
        }),
    ),
    { seed, numRuns: 400, endOnFailure: true },
  )
  for (const code of ['REQUEST_INVALID', 'INVALID_ORGANIZATION_ID', 'ORGANIZATION_NOT_FOUND', 'NOT_FOUND'])
    expect([...seen]).toContain(code)
})
