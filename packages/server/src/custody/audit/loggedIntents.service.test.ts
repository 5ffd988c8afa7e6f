import { createHash } from 'node:crypto'
import { createAuthenticator } from '@latchkey/testkit/authenticator'
import { startTestCustody, type TestUser } from '@latchkey/testkit/custody'
import { toIntentJson } from 'latchkey-protocol'
import { afterAll, expect, test } from 'vitest'
import { createApiKeyPair } from '../../keys/createApiKeyPair.ts'
import { readMacKey } from '../macKey.ts'
import { mac } from '../macs.ts'
import { entryHash, type LogEntry } from './logEntry.ts'
import { verifyLog } from './verifyLog.ts'

const project = { signing: { blind: 'allow', review: ['message'] }, confirmations: 'mail' } as const
const custody = await startTestCustody()
const reviewing = await startTestCustody({ project })
const macKey = await readMacKey(custody.store.db, custody.deps.keyEncryption)
afterAll(async () => {
  await custody.close()
  await reviewing.close()
})

const hello = toIntentJson({ acts: [{ kind: 'message', text: 'hello' }] })
const unread = toIntentJson({ unread: 'It is a digest of unknown content.' })
const digest = `0x${'12'.repeat(32)}` as const

async function readIntents({ orgId }: Pick<TestUser, 'orgId'>, { store } = custody): Promise<string[]> {
  const query = store.db.selectFrom('activity_log').select('intent').where('org_id', '=', orgId).orderBy('seq')
  return (await query.execute()).map(({ intent }) => intent)
}

test('logs what custody read in each payload that it signed', async () => {
  const user = await custody.createUser()
  await custody.call('submit/sign_raw_payload', custody.signing(user), user.key)
  await custody.call('submit/sign_raw_payload', custody.signing(user, digest), user.key)
  const both = custody.activity('ACTIVITY_TYPE_SIGN_RAW_PAYLOADS', user.orgId, {
    signWith: user.address,
    encoding: 'PAYLOAD_ENCODING_HEXADECIMAL',
    hashFunction: 'HASH_FUNCTION_NO_OP',
    payloads: [digest, digest],
  })
  await custody.call('submit/sign_raw_payloads', both, user.key)
  await custody.call(
    'submit/update_user',
    custody.activity('ACTIVITY_TYPE_UPDATE_USER', user.orgId, { userId: user.userId, userName: 'Ada' }),
    user.key,
  )
  expect(await readIntents(user)).toEqual([hello, unread, `[${unread},${unread}]`, ''])
  expect((await verifyLog(custody.store.db, macKey)).bad).toBeUndefined()
})

test('logs the intent of a signature that a passkey stamps', async () => {
  const passkey = createAuthenticator()
  const user = await custody.createUser({ passkeys: [passkey.register()] })
  await custody.callByPasskey('submit/sign_raw_payload', custody.signing(user), passkey)
  expect(await readIntents(user)).toEqual([hello])
})

test('logs the intent of a signature under review, which the page of the email names', async () => {
  const user = await reviewing.createUser()
  const { body } = await reviewing.call('submit/sign_raw_payload', reviewing.signing(user), user.key)
  expect(body.activity.status).toBe('ACTIVITY_STATUS_PENDING')
  const [intent = ''] = await readIntents(user, reviewing)
  const link = await reviewing.store.db
    .selectFrom('confirmations')
    .select('details')
    .where('org_id', '=', user.orgId)
    .executeTakeFirstOrThrow()
  expect(intent).toBe(hello)
  expect(link.details).toMatchObject({ intentHash: createHash('sha256').update(intent).digest('hex') })
})

test('logs why a signature that waits for votes cannot be read', async () => {
  const [first, second] = [createApiKeyPair(), createApiKeyPair()]
  const rootUsers = [first, second].map(({ publicKey }, index) => ({
    userName: `Owner ${index}`,
    apiKeys: [{ apiKeyName: 'key', publicKey }],
  }))
  const shared = await custody.signUp(rootUsers, { threshold: 2 })
  await custody.call('submit/sign_raw_payload', custody.signing(shared), first)
  await custody.call('submit/sign_raw_payload', custody.signing(shared, '0x12'), first)
  const why = 'With HASH_FUNCTION_NO_OP the payload must be a digest of 32 bytes.'
  expect(await readIntents(shared)).toEqual([hello, toIntentJson({ unread: why })])
})

/** Runs statements as the owner of the tables, without triggers. */
async function tamper(run: (query: (text: string, values?: unknown[]) => Promise<unknown>) => Promise<void>) {
  const client = await custody.store.pool.connect()
  try {
    await client.query('set session_replication_role = replica')
    await run((text, values) => client.query(text, values))
  } finally {
    await client.query('set session_replication_role = origin')
    client.release()
  }
}

/** Writes the only entry of a chain as an earlier version of custody wrote it. */
async function writeEarlier(entry: LogEntry, changes: Pick<LogEntry, 'scheme' | 'salt'>): Promise<void> {
  const earlier = { ...entry, ...changes, intent: '' }
  const { org_id, seq } = earlier
  const hash = entryHash(earlier)
  const head = { org_id, seq, hash, mac: mac(macKey, 'activity_log_heads', { org_id, seq, hash }) }
  await tamper(async (query) => {
    const values = [org_id, earlier.scheme, earlier.salt, hash]
    await query(`update activity_log set scheme = $2, salt = $3, hash = $4, intent = '' where org_id = $1`, values)
    await query('update activity_log_heads set hash = $2, mac = $3 where org_id = $1', [org_id, hash, head.mac])
  })
}

test.each([1, 2])('verifies entries of scheme %i by their own hash, and refuses an intent in them', async (scheme) => {
  const user = await custody.createUser()
  await custody.call('submit/sign_raw_payload', custody.signing(user), user.key)
  const read = custody.store.db.selectFrom('activity_log').selectAll().where('org_id', '=', user.orgId)
  const entry = await read.executeTakeFirstOrThrow()
  await writeEarlier(entry, { scheme, salt: scheme === 1 ? null : entry.salt })
  const verify = async () => (await verifyLog(custody.store.db, macKey)).bad
  expect(await verify()).toBeUndefined()
  const write = (intent: string) =>
    tamper(
      async (query) =>
        void (await query('update activity_log set intent = $2 where org_id = $1', [user.orgId, intent])),
    )
  await write(hello)
  expect(await verify()).toEqual({
    organizationId: user.orgId,
    seq: '1',
    problem: 'It was changed: its hash is another.',
  })
  await write('')
  expect(await verify()).toBeUndefined()
})
