import { createHash, randomBytes } from 'node:crypto'
import { startTestStore } from '@latchkey/testkit/database'
import { afterAll, expect, test } from 'vitest'
import {
  appendOperatorLog,
  listOperatorLog,
  readOperatorLogHead,
  verifyOperatorLog,
  verifyOperatorLogEnd,
} from './operatorLog.ts'
import { createOperator, endOperator, findOperator, listOperators, rotateOperator } from './operators.ts'

const key = randomBytes(32)
const store = await startTestStore()
afterAll(() => store.close())

const create = (name: string, role: 'viewer' | 'operator' | 'admin' = 'viewer') =>
  createOperator(store.db, { key, name, role })
const find = (secret: string, by = key) => findOperator(store.db, { key: by, secret })

test('shows the key once and stores only its digest', async () => {
  const { secret, operator } = await create('Ada', 'admin')
  expect(secret).toMatch(/^lko_[0-9a-f]{32}_[\w-]{43}$/)
  expect(operator).toMatchObject({ name: 'Ada', role: 'admin', expiresAt: null, removedAt: null, isGenuine: true })
  expect(await find(secret)).toEqual({ id: operator.id, name: 'Ada', role: 'admin' })
  const { rows } = await store.pool.query('select * from operators')
  expect(JSON.stringify(rows)).not.toContain(secret.slice(-43))
})

test('refuses wrong keys and empty names', async () => {
  const { secret } = await create('Bob')
  const flipped = secret.slice(0, -1) + (secret.endsWith('A') ? 'B' : 'A')
  for (const wrong of [flipped, `${secret}x`, secret.slice(0, 36), `lko_${'0'.repeat(32)}${secret.slice(36)}`, ''])
    expect(await find(wrong), wrong).toBeNull()
  await expect(create('')).rejects.toMatchObject({ code: 'REQUEST_INVALID' })
})

test('accepts configured operators without a row and refuses rows of another server', async () => {
  const { secret } = await create('Carol', 'operator')
  expect(await find(secret, randomBytes(32))).toBeNull()
  const own = 'a secret of the configuration'
  const configured = [
    { id: 'dev', name: 'Dev', role: 'admin' as const, secretHash: createHash('sha256').update(own).digest('hex') },
  ]
  expect(await findOperator(store.db, { key, secret: own, configured })).toEqual({
    id: 'dev',
    name: 'Dev',
    role: 'admin',
  })
  expect(await findOperator(store.db, { key, secret: `${own}.`, configured })).toBeNull()
})

test('refuses forged rows and lists them as forged', async () => {
  const forgeries = [
    `role = 'admin'`,
    `name = 'Root'`,
    `created_at = created_at + interval '1 ms'`,
    `expires_at = now() + interval '1 year'`,
    `row_mac = (select row_mac from operators where name = 'Ada')`,
    `secret_hash = sha256('\\x00')`,
  ]
  for (const change of forgeries) {
    const { secret, operator } = await create('Dave')
    await store.pool.query(`update operators set ${change} where id = $1`, [operator.id])
    let forged: string | undefined
    const found = await findOperator(store.db, { key, secret, onForgery: (id) => (forged = id) })
    expect([change, found]).toEqual([change, null])
    if (!change.startsWith('secret_hash')) expect(forged).toBe(operator.id)
    const listed = (await listOperators(store.db, { key })).find(({ id }) => id === operator.id)
    expect(listed?.isGenuine).toBe(false)
    await expect(endOperator(store.db, { key, id: operator.id })).rejects.toMatchObject({ code: 'NOT_FOUND' })
  }
})

test('ends a removed key at once, even if the database restores it', async () => {
  const { secret, operator } = await create('Erin')
  await endOperator(store.db, { key, id: operator.id })
  expect(await find(secret)).toBeNull()
  await store.pool.query('update operators set removed_at = null where id = $1', [operator.id])
  expect(await find(secret)).toBeNull()
  await store.pool.query('update operators set removed_at = now() where id = $1', [operator.id])
  await expect(endOperator(store.db, { key, id: operator.id })).rejects.toMatchObject({ code: 'NOT_FOUND' })
})

test('keeps a rotated key for a while and never extends its end', async () => {
  const old = await create('Frank', 'operator')
  const next = await rotateOperator(store.db, { key, id: old.operator.id, afterMs: 3_600_000 })
  expect(next.operator).toMatchObject({ name: 'Frank', role: 'operator' })
  expect(await find(old.secret)).not.toBeNull()
  expect(await find(next.secret)).not.toBeNull()
  const { after } = await endOperator(store.db, { key, id: old.operator.id, afterMs: 7_200_000 })
  expect(after.expiresAt?.getTime()).toBeLessThan(Date.now() + 3_600_001)
  await endOperator(store.db, { key, id: old.operator.id })
  expect(await find(old.secret)).toBeNull()
  await expect(rotateOperator(store.db, { key, id: old.operator.id })).rejects.toMatchObject({ code: 'STATE_CONFLICT' })
})

const entry = (action: string) => ({
  key,
  operator: { id: 'one', name: 'Ada', role: 'admin' },
  action,
  outcome: 'done' as const,
})
const verify = (heads: { seq: string; mac: string }[] = []) => verifyOperatorLog(store.db, { key, heads })

test('chains entries of concurrent writers', async () => {
  expect(await verifyOperatorLogEnd(store.db, { key, most: 5 })).toEqual({ head: null, checkedFrom: null, bad: null })
  await Promise.all(Array.from({ length: 12 }, (_, index) => appendOperatorLog(store.db, entry(`act.${index}`))))
  expect(await verify()).toEqual({ entries: 12 })
  const listed = await listOperatorLog(store.db, { limit: 5, after: '11' })
  expect(listed.map(({ seq }) => seq)).toEqual(['10', '9', '8', '7', '6'])
  const head = await readOperatorLogHead(store.db)
  expect(head?.seq).toBe('12')
  expect(await verifyOperatorLogEnd(store.db, { key, most: 5 })).toEqual({ head, checkedFrom: '8', bad: null })
  expect(await verifyOperatorLogEnd(store.db, { key, most: 12 })).toEqual({ head, checkedFrom: '1', bad: null })
})

test("allows only appending to the log and detects the owner's changes", async () => {
  const head = await readOperatorLogHead(store.db)
  expect(await verify(head && [head])).toEqual({ entries: 12 })
  for (const statement of [
    `update operator_log set action = 'x' where seq = 3`,
    'delete from operator_log where seq = 3',
    'truncate operator_log',
  ])
    await expect(store.pool.query(statement)).rejects.toMatchObject({ code: '42501' })
  const attempt = async (statement: string, heads: Parameters<typeof verify>[0] = []) => {
    const all = 'create table kept as select * from operator_log'
    const back = 'truncate operator_log; insert into operator_log select * from kept; drop table kept'
    await store.pool.query(`${all}; alter table operator_log disable trigger user; ${statement}`)
    const result = await verify(heads)
    const { bad } = await verifyOperatorLogEnd(store.db, { key, most: 11 })
    // Without its end, the log is still an intact chain.
    expect(bad ?? undefined).toBe(heads.length > 0 ? undefined : result.bad)
    await store.pool.query(`${back}; alter table operator_log enable trigger user`)
    return result.bad
  }
  expect(await attempt(`update operator_log set operator_name = 'Bob' where seq = 3`)).toBe('3')
  expect(await attempt('delete from operator_log where seq = 3')).toBe('3')
  const moved = 'delete from operator_log where seq = 3; update operator_log set seq = seq - 1 where seq > 3'
  expect(await attempt(moved)).toBe('3')
  expect(await attempt('delete from operator_log where seq > 10')).toBeUndefined()
  expect(await attempt('delete from operator_log where seq > 10', head && [head])).toBe('11')
  expect((await verifyOperatorLog(store.db, { key: randomBytes(32) })).bad).toBe('1')
  expect((await verifyOperatorLogEnd(store.db, { key: randomBytes(32), most: 5 })).bad).toBe('8')
  // Older entries are not checked.
  expect((await verifyOperatorLogEnd(store.db, { key, most: 5 })).bad).toBeNull()
  expect(await verify()).toEqual({ entries: 12 })
})
