import { randomBytes } from 'node:crypto'
import { startTestStore } from '@latchkey/testkit/database'
import { afterAll, expect, test } from 'vitest'
import { listOperations } from '../admin/reads/listOperations.ts'
import {
  claimResends,
  findOperation,
  listOperationEvents,
  logFailed,
  logPrepared,
  logSeen,
  logSent,
  logSigned,
  readLastEventId,
} from './operations.ts'
import { upsertProject } from './upsertProject.ts'

const store = await startTestStore()
for (const id of ['app', 'other', 'paged', 'busy'])
  await upsertProject(store.db, { id, name: id, apiKey: `key of ${id}`, redirectUrls: [], allowedOrigins: [] })
afterAll(() => store.close())

const random = (bytes: number) => `0x${randomBytes(bytes).toString('hex')}` as const
const create = (projectId = 'app') => ({
  userOpHash: random(32),
  projectId,
  policyId: 'default',
  chainId: 31337,
  entryPoint: '0x0000000071727De22E5E9d8BAf0edAc6f37da032',
  sender: random(20),
  nonce: 2n ** 255n,
  paymaster: random(20),
  maxCost: 5n,
  validUntil: 1_900_000_000,
})
const read = (userOpHash: string, projectId = 'app') => findOperation(store.db, { userOpHash, projectId })
const readStates = async (userOpHash: string, projectId = 'app') => {
  const events = await listOperationEvents(store.db, { projectId, userOpHash, after: '0', limit: 100 })
  return events.map(({ state }) => state)
}

test('logs an operation from preparation to the bundler', async () => {
  const operation = create()
  await logPrepared(store.db, operation)
  await logSigned(store.db, operation)
  expect(await logSent(store.db, { ...operation, request: '["one"]' })).toBe('sent')
  await logSeen(store.db, { ...operation, request: '["one"]' })
  expect(await readStates(operation.userOpHash)).toEqual(['prepared', 'signed', 'sent', 'seen'])
  expect(await read(operation.userOpHash)).toMatchObject({
    state: 'seen',
    chain_id: '31337',
    entry_point: operation.entryPoint.toLowerCase(),
    nonce: (2n ** 255n).toString(),
    max_cost: '5',
    valid_until: new Date(1_900_000_000_000),
    request: '["one"]',
    prepared_at: expect.any(Date),
    signed_at: expect.any(Date),
    sent_at: expect.any(Date),
    seen_at: expect.any(Date),
  })
})

test('keeps the first bytes until their outcome is known', async () => {
  const operation = create()
  await logSent(store.db, { ...operation, request: '["right"]' })
  await logSent(store.db, { ...operation, request: '["wrong"]' })
  expect(await read(operation.userOpHash)).toMatchObject({ state: 'sent', request: '["right"]' })
  await logFailed(store.db, { ...operation, failure: 'AA24 signature error' })
  expect(await read(operation.userOpHash)).toMatchObject({ state: 'failed', request: null, ended_at: expect.any(Date) })
  expect(await logSent(store.db, { ...operation, request: '["next"]' })).toBe('sent')
  expect(await read(operation.userOpHash)).toMatchObject({ state: 'sent', request: '["next"]', failure: null })
})

test('neither changes nor finds operations of another project', async () => {
  const operation = create()
  await logSigned(store.db, operation)
  const theirs = { ...operation, projectId: 'other' }
  expect(await logSent(store.db, { ...theirs, request: '[]' })).toBe('foreign')
  await logSeen(store.db, { ...theirs, request: '[]' })
  await logFailed(store.db, { ...theirs, failure: 'no' })
  await logSigned(store.db, { ...theirs, policyId: 'theirs' })
  expect(await read(operation.userOpHash, 'other')).toBeUndefined()
  expect(await read(operation.userOpHash)).toMatchObject({ state: 'signed', policy_id: 'default' })
  expect(await listOperationEvents(store.db, { projectId: 'other', after: '0', limit: 10 })).toEqual([])
})

test('lists pages newest first with filters', async () => {
  const operations = Array.from({ length: 7 }, () => create('paged'))
  for (const operation of operations) await logSigned(store.db, operation)
  const newestFirst = operations.map(({ userOpHash }) => userOpHash).reverse()
  const found: string[] = []
  let page: listOperations.ReturnType = []
  do {
    const last = page.at(-1)
    const after = last && { micros: last.micros, userOpHash: last.user_op_hash }
    page = await listOperations(store.db, { projectId: 'paged', limit: 3, after })
    found.push(...page.map(({ user_op_hash }) => user_op_hash))
  } while (page.length > 0)
  expect(found).toEqual(newestFirst)
  const [first] = operations
  const count = async (filter: Partial<listOperations.Parameters>) =>
    (await listOperations(store.db, { projectId: 'paged', limit: 50, ...filter })).length
  expect(await count({ sender: first?.sender.toUpperCase().replace('0X', '0x') })).toBe(1)
  expect(await count({ state: 'signed' })).toBe(7)
  expect(await count({ state: 'seen' })).toBe(0)
  expect(await count({ chainId: 1 })).toBe(0)
  expect(await count({ policyId: 'default' })).toBe(7)
  expect(await count({ from: new Date(Date.now() - 3_600_000), to: new Date(Date.now() + 3_600_000) })).toBe(7)
  expect(await count({ from: new Date(Date.now() + 3_600_000) })).toBe(0)
})

test('misses no event that commits during a read', async () => {
  let after = await readLastEventId(store.db, 'busy')
  const operations = Array.from({ length: 40 }, () => create('busy'))
  let isDone = false
  const writing = Promise.all(operations.map((operation) => logSigned(store.db, operation))).then(() => {
    isDone = true
  })
  const seen: string[] = []
  for (;;) {
    const wasDone = isDone
    const events = await listOperationEvents(store.db, { projectId: 'busy', after, limit: 3 })
    after = events.at(-1)?.id ?? after
    seen.push(...events.map(({ user_op_hash }) => user_op_hash))
    if (wasDone && events.length === 0) break
  }
  await writing
  expect(seen.sort()).toEqual(operations.map(({ userOpHash }) => userOpHash).sort())
})

test('claims due resends for one copy and only the last of a nonce', async () => {
  const older = create()
  const newer = { ...create(), sender: older.sender }
  for (const operation of [older, newer]) {
    await logSent(store.db, { ...operation, request: JSON.stringify([operation.userOpHash]) })
    await logSeen(store.db, { ...operation, request: JSON.stringify([operation.userOpHash]) })
  }
  const claim = async () => {
    const claims = await Promise.all([1, 2].map(() => claimResends(store.db, { chainId: 31337, limit: 100 })))
    return claims.flat().map(({ user_op_hash }) => user_op_hash)
  }
  expect(await claim()).not.toContain(newer.userOpHash)
  const operations = store.db.updateTable('operations').where('sender', '=', older.sender)
  const makeDue = () => operations.set({ resend_at: new Date(Date.now() - 1_000) }).execute()
  await makeDue()
  expect(await claim()).toEqual([newer.userOpHash])
  expect(await claim()).toEqual([])
  await makeDue()
  expect(await claim()).toEqual([newer.userOpHash])
  expect(await read(newer.userOpHash)).toMatchObject({ resends: 2, state: 'seen' })
})
