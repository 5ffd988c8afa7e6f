import { createAuthenticator } from '@latchkey/testkit/authenticator'
import { startTestCustody } from '@latchkey/testkit/custody'
import { createOwner, submission } from '@latchkey/testkit/custodyExamples'
import { afterAll, expect, test } from 'vitest'
import { createApiKeyPair } from '../../keys/createApiKeyPair.ts'
import { readMacKey } from '../macKey.ts'
import { listHeads, type NotedHead, parseHeads } from './heads.ts'
import { verifyLog } from './verifyLog.ts'

const custody = await startTestCustody()
const macKey = await readMacKey(custody.store.db, custody.deps.keyEncryption)
const passkey = createAuthenticator()
const other = await custody.createUser({ passkeys: [passkey.register()] })
await custody.callByPasskey('submit/sign_raw_payload', custody.signing(other), passkey)
const user = await custody.createUser()
for (let index = 0; index < 4; index++) await custody.call('submit/sign_raw_payload', custody.signing(user), user.key)
afterAll(() => custody.close())

const verify = () => verifyLog(custody.store.db, macKey)

async function tamper(statement: string, ...values: unknown[]): Promise<void> {
  const client = await custody.store.pool.connect()
  try {
    await client.query('set session_replication_role = replica')
    await client.query(statement, values)
  } finally {
    await client.query('set session_replication_role = origin')
    client.release()
  }
}

async function tampered(statement: string, undo: string): Promise<verifyLog.Bad | undefined> {
  await tamper(`create table kept as select * from activity_log where org_id = '${user.orgId}'`)
  await tamper(`create table kept_heads as select * from activity_log_heads where org_id = '${user.orgId}'`)
  try {
    await tamper(statement)
    return (await verify()).bad
  } finally {
    await tamper(`delete from activity_log where org_id = '${user.orgId}'`)
    await tamper('insert into activity_log select * from kept')
    await tamper(`delete from activity_log_heads where org_id = '${user.orgId}'`)
    await tamper('insert into activity_log_heads select * from kept_heads')
    await tamper('drop table kept, kept_heads')
    if (undo) await tamper(undo)
    expect((await verify()).bad).toBeUndefined()
  }
}

test('verifies an untouched log', async () => {
  const { organizations, entries, bad } = await verify()
  expect(bad).toBeUndefined()
  expect(organizations).toBeGreaterThanOrEqual(3)
  expect(entries).toBeGreaterThanOrEqual(7)
})

test('verifies the stamped word in a request that has no stamp itself', async () => {
  const owner = await createOwner(custody)
  const call = 'create_multi_factor_by_word'
  const { status } = await custody.call(`submit/${call}`, await submission(custody, owner, call), owner.key)
  const { rows } = await custody.store.pool.query('select stamp from activity_log where type = $1', [
    `ACTIVITY_TYPE_${call.toUpperCase()}`,
  ])
  expect([status, rows, (await verify()).bad]).toEqual([200, [{ stamp: '' }], undefined])
})

test.each([
  ['a body', `body = 'other'`],
  ['a stamp', `stamp = 'X-Stamp: other'`],
  ['an intent', `intent = '{"acts":[]}'`],
  ['its user', `user_id = gen_random_uuid()`],
  ['its time', `logged_at = logged_at + interval '1 ms'`],
  ['its type', `type = 'ACTIVITY_TYPE_EMAIL_AUTH'`],
  ['its status', `status = 'ACTIVITY_STATUS_FAILED'`],
  ['its activity', `activity_id = gen_random_uuid()`],
  ['its credential', `credential_id = gen_random_uuid()`],
  ['its public key', `credential_public_key = 'other'`],
  ['its hash', `hash = sha256('x')`],
  ['its link to the previous entry', `previous_hash = sha256('x')`],
])('detects a changed entry: %s', async (_name, change) => {
  const where = `org_id = '${user.orgId}' and seq = 3`
  expect(await tampered(`update activity_log set ${change} where ${where}`, '')).toMatchObject({
    organizationId: user.orgId,
    seq: '3',
  })
})

test('detects an entry that was removed or moved', async () => {
  const { orgId } = user
  expect(await tampered(`delete from activity_log where org_id = '${orgId}' and seq = 2`, '')).toEqual({
    organizationId: orgId,
    seq: '3',
    problem: 'An entry is missing: 2.',
  })
  const moved = `delete from activity_log where org_id = '${orgId}' and seq = 2;
    update activity_log set seq = seq - 1 where org_id = '${orgId}' and seq > 2`
  expect(await tampered(moved, '')).toEqual({
    organizationId: orgId,
    seq: '2',
    problem: 'It is not linked to the entry before it.',
  })
})

test('detects a log whose end was cut off', async () => {
  const { orgId } = user
  const cut = `delete from activity_log where org_id = '${orgId}' and seq = 4`
  expect(await tampered(cut, '')).toEqual({
    organizationId: orgId,
    seq: '4',
    problem: 'The chain ends at 3, and should at 4.',
  })
  const head = `update activity_log_heads set seq = 3, hash = (select hash from activity_log
    where org_id = '${orgId}' and seq = 3) where org_id = '${orgId}'`
  expect(await tampered(`${cut}; ${head}`, '')).toEqual({
    organizationId: orgId,
    problem: 'The recorded end of the chain was not written by custody.',
  })
  expect(await tampered(`${cut}; delete from activity_log_heads where org_id = '${orgId}'`, '')).toEqual({
    organizationId: orgId,
    problem: 'The end of the chain is not recorded.',
  })
  const all = `delete from activity_log where org_id = '${orgId}'; delete from activity_log_heads where org_id = '${orgId}'`
  expect((await tampered(all, ''))?.problem).toContain('was never authorised: it is not in the log')
})

test('detects forged and removed activities', async () => {
  const { orgId } = user
  const forged = `insert into activities (id, org_id, fingerprint, type, status, intent, result, user_id, credential_id)
    select gen_random_uuid(), org_id, 'sha256:forged', type, status, intent, result, user_id, credential_id
    from activities where org_id = '${orgId}' limit 1`
  expect(await tampered(forged, `delete from activities where fingerprint = 'sha256:forged'`)).toMatchObject({
    organizationId: orgId,
    problem: expect.stringContaining('was never authorised'),
  })
  await tamper(`create table removed as select * from activities where org_id = '${orgId}'`)
  expect(
    await tampered(`delete from activities where org_id = '${orgId}'`, 'insert into activities select * from removed'),
  ).toEqual({ organizationId: orgId, seq: '1', problem: 'Its activity was removed.' })
  await tamper('drop table removed')
})

test.each(['user_id', 'credential_id', 'type', 'fingerprint', 'org_id'])(
  'detects an activity with a changed %s',
  async (column) => {
    const { rows } = await custody.store.pool.query(
      `select activities.id, activities.${column} as kept from activities join activity_log log on activity_id = activities.id
       where log.org_id = $1 and seq = 2`,
      [user.orgId],
    )
    const [{ id, kept }] = rows
    const isId = column.endsWith('_id')
    await tamper(`update activities set ${column} = ${isId ? 'gen_random_uuid()' : `'other'`} where id = $1`, id)
    const { bad } = await verify()
    await tamper(`update activities set ${column} = $1 where id = $2`, kept, id)
    expect(bad).toEqual({ organizationId: user.orgId, seq: '2', problem: 'Its activity tells something else.' })
    expect((await verify()).bad).toBeUndefined()
  },
)

test('refuses new activities after the end of the log was forged', async () => {
  await tamper(`update activity_log_heads set seq = 2 where org_id = '${user.orgId}'`)
  const { status, body } = await custody.call('submit/sign_raw_payload', custody.signing(user), user.key)
  expect([status, body.code]).toEqual([500, 13])
  expect(body.message).toContain('Run `latchkey-server audit verify`')
  await tamper(`update activity_log_heads set seq = 4 where org_id = '${user.orgId}'`)
  expect((await custody.call('submit/sign_raw_payload', custody.signing(user), user.key)).status).toBe(200)
})

test('detects a changed result', async () => {
  const where = `where id = (select activity_id from activity_log where org_id = '${user.orgId}' and seq = 2)`
  await tamper(`create table kept_results as select id, result from activities ${where}`)
  const undo =
    'update activities set result = kept_results.result from kept_results where kept_results.id = activities.id'
  expect(await tampered(`update activities set result = '{}' ${where}`, undo)).toEqual({
    organizationId: user.orgId,
    seq: '2',
    problem: 'Its activity was changed: custody did not write it so.',
  })
  await tamper('drop table kept_results')
})

async function keep(orgId: string, tables: readonly string[]): Promise<() => Promise<void>> {
  const orgColumn = (table: string) => (table === 'organizations' ? 'id' : 'org_id')
  const kept = tables.map(async (table) => {
    const text = `select coalesce(json_agg(kept), '[]')::text as rows from ${table} kept where ${orgColumn(table)} = $1`
    return [table, (await custody.store.pool.query(text, [orgId])).rows[0].rows] as const
  })
  const all = await Promise.all(kept)
  return async () => {
    for (const [table, rows] of all) {
      await tamper(`delete from ${table} where ${orgColumn(table)} = $1`, orgId)
      await tamper(`insert into ${table} select * from json_populate_recordset(null::${table}, $1)`, rows)
    }
  }
}

async function noteHeads(): Promise<string> {
  const lines: string[] = []
  for await (const head of listHeads(custody.store.db, macKey)) lines.push(JSON.stringify(head))
  return lines.join('\n')
}

test('detects a restored database backup by heads noted earlier', async () => {
  const { orgId } = await custody.createUser()
  const someone = await custody.createUser()
  const act = () => custody.call('submit/sign_raw_payload', custody.signing(someone), someone.key)
  await act()
  const setBack = await keep(someone.orgId, ['activity_log', 'activity_log_heads', 'activities'])
  await act()
  const noted = await noteHeads()
  const heads = parseHeads(`${noted}\n\n`, macKey)
  expect(heads.get(someone.orgId)).toMatchObject([{ seq: '2' }])
  expect(heads.has(orgId)).toBe(false)
  const check = async () => (await verifyLog(custody.store.db, macKey, { heads })).bad
  expect(await check()).toBeUndefined()
  await act()
  expect(await check()).toBeUndefined()

  await setBack()
  expect((await verify()).bad).toBeUndefined()
  const organizationId = someone.orgId
  expect(await check()).toEqual({
    organizationId,
    seq: '2',
    problem: 'The chain ends at 1, and had 2 when its head was noted.',
  })
  await act()
  expect((await verify()).bad).toBeUndefined()
  expect(await check()).toEqual({
    organizationId,
    seq: '2',
    problem: 'It is another one than when its head was noted: the chain was written anew.',
  })
  for (const table of ['activity_log', 'activity_log_heads', 'activities'])
    await tamper(`delete from ${table} where org_id = $1`, someone.orgId)
  expect((await verify()).bad).toBeUndefined()
  expect(await check()).toEqual({ organizationId, problem: 'Its whole chain was removed.' })
})

test('refuses heads that custody did not print', async () => {
  const [line = ''] = (await noteHeads()).split('\n')
  const head: NotedHead = JSON.parse(line)
  for (const wrong of [{ seq: '1000' }, { hash: '00'.repeat(32) }, { mac: 'x' }, { mac: head.hash }, { more: '' }])
    expect(() => parseHeads(`${line}\n${JSON.stringify({ ...head, ...wrong })}`, macKey)).toThrow(
      'Line 2 is none that `latchkey-server audit heads` printed for this custody.',
    )
  expect(() => parseHeads('nothing', macKey)).toThrow('Line 1 is none')
  expect(() => parseHeads(' \n', macKey)).toThrow('There are no heads to compare with.')

  await tamper('update activity_log_heads set seq = seq + 1 where org_id = $1', head.organizationId)
  await expect(noteHeads()).rejects.toThrow(`The recorded end of the chain of ${head.organizationId} was not written`)
  await tamper('update activity_log_heads set seq = seq - 1 where org_id = $1', head.organizationId)
})

test('detects restored rows that an activity removed', async () => {
  const owner = await custody.createUser()
  const { orgId: organizationId, userId } = owner
  async function act(path: string, type: string, parameters: object) {
    const { status, body } = await custody.call(
      `submit/${path}`,
      custody.activity(`ACTIVITY_TYPE_${type}`, organizationId, parameters),
      owner.key,
    )
    expect(status, JSON.stringify(body)).toBe(200)
    return body.activity.result
  }
  async function putBack(table: string, removal: () => Promise<unknown>) {
    const before = await keep(organizationId, [table])
    await removal()
    const after = await keep(organizationId, [table])
    expect((await verify()).bad).toBeUndefined()
    await before()
    const { bad } = await verify()
    await after()
    expect((await verify()).bad).toBeUndefined()
    return bad
  }
  const keys = [createApiKeyPair(), createApiKeyPair()].map(({ publicKey }, index) => ({
    apiKeyName: `key ${index}`,
    publicKey,
    curveType: 'API_KEY_CURVE_P256',
  }))
  const added = await act('create_api_keys', 'CREATE_API_KEYS_V2', { userId, apiKeys: keys })
  const [id] = added.createApiKeysResult.apiKeyIds
  const deleteKey = () => act('delete_api_keys', 'DELETE_API_KEYS', { userId, apiKeyIds: [id] })
  expect(await putBack('credentials', deleteKey)).toEqual({
    organizationId,
    seq: '2',
    problem: `The credential ${id}, which it removed, is there again.`,
  })
  const move = (userEmail: string) => act('update_user', 'UPDATE_USER', { userId, userEmail })
  await move('first@example.com')
  expect(await putBack('users', () => move('Second@example.com'))).toEqual({
    organizationId,
    seq: '4',
    problem: `The user ${userId} has another address than the one it set.`,
  })
  const end = () => act('delete_sub_organization', 'DELETE_SUB_ORGANIZATION', { deleteWithoutExport: true })
  expect(await putBack('organizations', end)).toEqual({
    organizationId,
    seq: '5',
    problem: 'The organization, which it deleted, is there again.',
  })
})
