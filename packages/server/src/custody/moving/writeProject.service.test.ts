import { randomUUID } from 'node:crypto'
import { startTestCustody } from '@latchkey/testkit/custody'
import { afterAll, expect, test } from 'vitest'
import { readMacKey } from '../macKey.ts'
import { encodeRows, listSchema, type Row } from './movedTables.ts'
import { writeProject } from './writeProject.ts'

const parentId = randomUUID()
const project = {
  id: 'moved',
  name: 'Moved',
  apiKey: 'moved-key',
  redirectUrls: ['http://localhost:4100/wallet'],
  allowedOrigins: ['http://localhost:4100'],
}
const custody = await startTestCustody({ projects: [{ ...project, organizationId: parentId }] })
afterAll(() => custody.close())

async function write(
  table: string,
  row: Row,
  end: object = { end: true, rows: 1, accounts: 0 },
  {
    closedAt = new Date().toISOString(),
    isRehearsal = false,
  }: { closedAt?: string | null; isRehearsal?: boolean } = {},
): Promise<unknown> {
  const { db } = custody.store
  const { keyEncryption } = custody.deps
  const keys = { macKey: await readMacKey(db, keyEncryption), keyEncryption }
  const head = { version: 1, parentId, closedAt, schema: await listSchema(db) }
  const texts = [JSON.stringify(head), `{"table":"${table}","rows":${encodeRows([row])}}`, JSON.stringify(end)]
  const messages = (async function* () {
    for (const text of texts) yield new Uint8Array(Buffer.from(text))
  })()
  const options = { parentIds: [parentId], isRehearsal }
  return db.transaction().execute((trx) => writeProject(trx, keys, messages, options))
}

test('refuses rows of another project and of existing accounts', async () => {
  const { orgId, userId } = await custody.createUser()
  const credential = { id: randomUUID(), user_id: userId, kind: 'api_key', name: 'x', public_key: '02' }
  const rows: [string, Row][] = [
    ['organizations', { id: randomUUID(), parent_id: custody.rootOrganizationId, name: 'x', root_quorum_threshold: 1 }],
    ['organizations', { id: parentId, parent_id: parentId, name: 'x', root_quorum_threshold: 1 }],
    ['users', { id: randomUUID(), org_id: orgId, parent_org_id: parentId, name: 'x' }],
    ['users', { id: randomUUID(), org_id: parentId, parent_org_id: parentId, name: 'x' }],
    ['credentials', { ...credential, org_id: orgId }],
    ['credentials', { ...credential, org_id: parentId }],
    ['activity_votes', { id: randomUUID(), activity_id: randomUUID(), user_id: userId }],
  ]
  for (const [table, row] of rows) await expect(write(table, row), table).rejects.toThrow('Nothing was moved')
})

test('refuses a file that ends early or states another count', async () => {
  const row = { id: randomUUID(), parent_id: parentId, name: 'x', root_quorum_threshold: 1, deleted_at: null }
  for (const end of [{}, { end: true, rows: 2, accounts: 1 }])
    await expect(write('organizations', row, end)).rejects.toThrow('Nothing was moved')
  expect(await write('organizations', row)).toMatchObject({ rows: 1 })
})

test('takes a file of active accounts only as a rehearsal', async () => {
  const fresh = randomUUID()
  const row = { id: fresh, parent_id: parentId, name: 'x', root_quorum_threshold: 1, deleted_at: null }
  const { db } = custody.store
  await db.deleteFrom('organizations').where('parent_id', '=', parentId).execute()
  await expect(write('organizations', row, undefined, { closedAt: null })).rejects.toThrow('give --rehearsal')
  expect(await write('organizations', row, undefined, { closedAt: null, isRehearsal: true })).toMatchObject({ rows: 1 })
})
