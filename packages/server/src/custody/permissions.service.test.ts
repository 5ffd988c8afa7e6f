import { type Reply, startTestCustody, type TestUser } from '@latchkey/testkit/custody'
import { createOwner, type Owner, question, submission, submitExamples } from '@latchkey/testkit/custodyExamples'
import { afterAll, expect, test } from 'vitest'
import { createApiKeyPair } from '../keys/createApiKeyPair.ts'
import { queries, submits } from './calls/table.ts'
import { assertReader } from './permissions.ts'

type Key = TestUser['key']
type Row = Record<Caller, string>
/** `key` is a session of the owner, created within the last minute. */
type Devnet = Owner & {
  oldKey: Key
  expiredKey: Key
  revokedKey: Key
  reader: string
  revokedReader: string
  foreignReader: string
}

const custody = await startTestCustody()
const foreign = await createOwner(custody)
afterAll(() => custody.close())

type Send = (path: string, body: object, devnet: Devnet) => Promise<Reply>
const byKey =
  (choose: (devnet: Devnet) => Key): Send =>
  (path, body, devnet) =>
    custody.call(path, body, choose(devnet))
const byPasskey =
  (choose: (devnet: Devnet) => Owner['passkey'], deviation = {}): Send =>
  (path, body, devnet) =>
    custody.callByPasskey(path, body, choose(devnet), deviation)

const byReader =
  (choose: (devnet: Devnet) => string): Send =>
  (path, body, devnet) =>
    custody.send(`/public/v1/${path}`, JSON.stringify(body), { 'x-session': choose(devnet) })
async function makeReader({ orgId }: Owner, key: Key): Promise<string> {
  const body = custody.activity('ACTIVITY_TYPE_CREATE_READ_ONLY_SESSION', orgId, {})
  const { activity } = (await custody.call('submit/create_read_only_session', body, key)).body
  return activity.result.createReadOnlySessionResult.session
}

const callers = {
  parent: byKey(() => custody.rootKey),
  session: byKey(({ key }) => key),
  'session of seven minutes ago': byKey(({ oldKey }) => oldKey),
  passkey: byPasskey(({ passkey }) => passkey),
  'passkey without user verification': byPasskey(({ passkey }) => passkey, { flags: 0x01 }),
  'another user of the organization': byPasskey(({ other }) => other.passkey),
  'user of another organization': byKey(() => foreign.key),
  'passkey of another organization': byPasskey(() => foreign.passkey),
  'expired session': byKey(({ expiredKey }) => expiredKey),
  'revoked session': byKey(({ revokedKey }) => revokedKey),
  'read-only session': byReader(({ reader }) => reader),
  'read-only session of a revoked key': byReader(({ revokedReader }) => revokedReader),
  'read-only session of another organization': byReader(({ foreignReader }) => foreignReader),
  'read-only session that names another key': byReader(({ reader, revokedReader }) =>
    reader.replace(reader.slice(9, 45), revokedReader.slice(9, 45)),
  ),
  'unknown key': byKey(() => createApiKeyPair()),
  nobody: (path, body) => custody.send(`/public/v1/${path}`, JSON.stringify(body)),
} satisfies Record<string, Send>
type Caller = keyof typeof callers

/** Users of the organization and of its parent may read. */
const read: Row = {
  parent: 'OK',
  session: 'OK',
  'session of seven minutes ago': 'OK',
  passkey: 'OK',
  'passkey without user verification': 'OK',
  'another user of the organization': 'OK',
  'user of another organization': 'PUBLIC_KEY_NOT_FOUND',
  'passkey of another organization': 'CREDENTIAL_NOT_FOUND',
  'expired session': 'API_KEY_EXPIRED',
  'revoked session': 'CREDENTIAL_NOT_FOUND',
  'read-only session': 'OK',
  'read-only session of a revoked key': 'CREDENTIAL_NOT_FOUND',
  'read-only session of another organization': 'REQUEST_NOT_AUTHORIZED',
  'read-only session that names another key': 'SIGNATURE_INVALID',
  'unknown key': 'PUBLIC_KEY_NOT_FOUND',
  nobody: 'SIGNATURE_MISSING',
}
/** Requests with a read-only session have no stamp. */
const unstamped = Object.fromEntries(
  Object.keys(callers)
    .filter((caller) => caller.startsWith('read-only'))
    .map((caller) => [caller, 'SIGNATURE_MISSING']),
)
const own: Row = { ...read, ...unstamped, parent: 'ORGANIZATION_MISMATCH' }
/** The user must have signed in or used a passkey recently. */
const ownNow: Row = {
  ...own,
  'session of seven minutes ago': 'REQUEST_NOT_AUTHORIZED',
  'passkey without user verification': 'REQUEST_NOT_AUTHORIZED',
}
const self: Row = { ...own, 'another user of the organization': 'REQUEST_NOT_AUTHORIZED' }
const selfNow: Row = { ...ownNow, 'another user of the organization': 'REQUEST_NOT_AUTHORIZED' }
/** A passkey of any age may begin a session, whose proof of presence is only as recent as the passkey's. */
const signIn: Row = { ...own, 'session of seven minutes ago': 'REQUEST_NOT_AUTHORIZED' }
/** The other user has already voted. */
const vote: Row = { ...own, 'another user of the organization': 'REQUEST_INVALID' }
const onlyParent: Row = {
  ...read,
  ...unstamped,
  session: 'INVALID_ACTIVITY_CALLER',
  'session of seven minutes ago': 'INVALID_ACTIVITY_CALLER',
  passkey: 'INVALID_ACTIVITY_CALLER',
  'passkey without user verification': 'INVALID_ACTIVITY_CALLER',
  'another user of the organization': 'INVALID_ACTIVITY_CALLER',
}
const inParent: Row = {
  ...read,
  ...unstamped,
  session: 'PUBLIC_KEY_NOT_FOUND',
  'session of seven minutes ago': 'PUBLIC_KEY_NOT_FOUND',
  passkey: 'CREDENTIAL_NOT_FOUND',
  'passkey without user verification': 'CREDENTIAL_NOT_FOUND',
  'another user of the organization': 'CREDENTIAL_NOT_FOUND',
  'user of another organization': 'PUBLIC_KEY_NOT_FOUND',
  'passkey of another organization': 'CREDENTIAL_NOT_FOUND',
  'expired session': 'PUBLIC_KEY_NOT_FOUND',
  'revoked session': 'PUBLIC_KEY_NOT_FOUND',
  'unknown key': 'PUBLIC_KEY_NOT_FOUND',
  nobody: 'SIGNATURE_MISSING',
}
const anybody = Object.fromEntries(Object.keys(callers).map((caller) => [caller, 'OK'])) as Row

const rows: Record<string, Row> = {
  create_sub_organization: inParent,
  email_auth: onlyParent,
  oauth: onlyParent,
  oauth_login: onlyParent,
  // The code itself authenticates the request.
  otp_auth: anybody,
  init_otp: inParent,
  verify_otp: anybody,
  create_read_write_session: signIn,
  create_read_only_session: own,
  stamp_login: signIn,
  sign_raw_payload: own,
  sign_raw_payloads: own,
  sign_transaction: own,
  create_wallet: own,
  create_wallet_accounts: own,
  export_wallet: ownNow,
  export_wallet_account: ownNow,
  export_private_key: ownNow,
  init_import_wallet: self,
  import_wallet: self,
  init_import_private_key: self,
  import_private_key: self,
  note_move_failure: self,
  create_authenticators: selfNow,
  delete_authenticators: selfNow,
  // The token is bound to the stamping key. The parent's token must also prove the user's address.
  create_oauth_providers: {
    ...ownNow,
    parent: 'REQUEST_NOT_AUTHORIZED',
    passkey: 'OIDC_TOKEN_INVALID',
    'another user of the organization': 'OIDC_TOKEN_INVALID',
  },
  delete_oauth_providers: selfNow,
  create_multi_factor: selfNow,
  activate_multi_factor: selfNow,
  delete_multi_factors: selfNow,
  // The stamped word authenticates the request.
  list_multi_factors_by_word: anybody,
  create_multi_factor_by_word: anybody,
  activate_multi_factor_by_word: anybody,
  delete_multi_factors_by_word: anybody,
  create_api_keys: selfNow,
  delete_api_keys: selfNow,
  update_user: selfNow,
  update_user_email: selfNow,
  update_user_name: selfNow,
  delete_sub_organization: ownNow,
  cancel_deletion: ownNow,
  set_spending_rules: ownNow,
  approve_activity: vote,
  reject_activity: vote,
}

async function createDevnet(threshold?: number): Promise<Devnet> {
  const owner = await createOwner(custody, threshold)
  const { orgId, userId, key: oldKey } = owner
  const [expired, revoked] = [createApiKeyPair(), createApiKeyPair()]
  const submit = async (call: string, type: string, parameters: object): Promise<{ apiKeyIds: string[] }> => {
    const body = custody.activity(`ACTIVITY_TYPE_${type}`, orgId, { userId, ...parameters })
    const answer = await custody.call(`submit/${call}`, body, oldKey)
    return answer.body.activity.result.createApiKeysResult
  }
  const { apiKeyIds } = await submit('create_api_keys', 'CREATE_API_KEYS', {
    apiKeys: [
      { apiKeyName: 'expired', publicKey: expired.publicKey, expirationSeconds: '400' },
      { apiKeyName: 'revoked', publicKey: revoked.publicKey, expirationSeconds: '3600' },
    ],
  })
  const revokedReader = await makeReader(owner, revoked)
  await submit('delete_api_keys', 'DELETE_API_KEYS', { apiKeyIds: apiKeyIds.slice(1) })
  custody.advance(6 * 60_000)
  const key = createApiKeyPair()
  const login = custody.activity('ACTIVITY_TYPE_STAMP_LOGIN', orgId, { publicKey: key.publicKey })
  expect((await custody.callByPasskey('submit/stamp_login', login, owner.passkey)).status).toBe(200)
  // A new session removes expired ones.
  custody.advance(60_000)
  const [reader, foreignReader] = [await makeReader(owner, key), await makeReader(foreign, foreign.key)]
  return { ...owner, key, oldKey, expiredKey: expired, revokedKey: revoked, reader, revokedReader, foreignReader }
}

const outcome = ({ status, body }: Reply): string => (status === 200 ? 'OK' : body.details[0].turnkeyErrorCode)
const names = Object.keys(callers) as Caller[]

test('lists the permissions of every call', () => {
  expect(Object.keys(rows).sort()).toEqual(Object.keys(submits).sort())
})

test.each(Object.keys(submits))('checks every caller of submit/%s', async (call) => {
  const expected = rows[call] ?? anybody
  const answers: Partial<Row> = {}
  let devnet = await createDevnet(submitExamples[call]?.threshold)
  // Refused requests change nothing, so all callers that must be refused send the same request.
  const refused = await submission(custody, devnet, call)
  for (const name of names.filter((each) => expected[each] !== 'OK'))
    answers[name] = outcome(await callers[name](`submit/${call}`, refused, devnet))
  for (const name of names.filter((each) => expected[each] === 'OK')) {
    if (/delet(?:e_sub_organization|ion)$/.test(call)) devnet = await createDevnet()
    answers[name] = outcome(await callers[name](`submit/${call}`, await submission(custody, devnet, call), devnet))
  }
  expect(answers).toEqual(expected)
})

test('checks every caller of every query', async () => {
  const devnet = await createDevnet()
  for (const call of Object.keys(queries)) {
    const body = await question(custody, devnet, call)
    const answers: Partial<Row> = {}
    for (const name of names) answers[name] = outcome(await callers[name](`query/${call}`, body, devnet))
    expect(answers, call).toEqual(read)
  }
})

test('refuses an activity on the path of another call', async () => {
  const devnet = await createDevnet()
  for (const call of ['sign_raw_payload', 'create_wallet', 'export_wallet', 'email_auth', 'update_user']) {
    const body = await submission(custody, devnet, call)
    const { by, on } = submitExamples[call] ?? {}
    const key = by === 'parent' || on === 'root' ? custody.rootKey : devnet.key
    const elsewhere = call === 'sign_raw_payload' ? 'create_wallet' : 'sign_raw_payload'
    const answer = await custody.call(`submit/${elsewhere}`, body, key)
    expect([call, outcome(answer)]).toEqual([call, 'REQUEST_INVALID'])
    expect(answer.body.message).toContain('does not belong to this path')
  }
})

test('refuses a reader of another organization', () => {
  const by = (orgId: string) => () => assertReader(undefined, { orgId }, { id: 'own', parentId: 'parent' })
  for (const orgId of ['own', 'parent']) expect(by(orgId)).not.toThrow()
  expect(by('other')).toThrow('Only users of the organization and of its parent may read this.')
})
