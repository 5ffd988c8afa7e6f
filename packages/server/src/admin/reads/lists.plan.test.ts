import { randomUUID } from 'node:crypto'
import { startTestDatabase } from '@latchkey/testkit/database'
import { fillLists } from '@latchkey/testkit/fillLists'
import { asRole } from '@latchkey/testkit/run/databaseServer'
import { type CompiledQuery, sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openStore, type Store } from '../../platform/database/openStore.ts'
import { securityEventsQuery } from '../../store/securityEventRows.ts'
import { mailStates, mailsQuery } from './listMails.ts'
import { buildQuery as buildOperations, type listOperations } from './listOperations.ts'

/**
 * Number of rows: enough for PostgreSQL to choose the same plans as for a million. `LATCHKEY_PLAN_ROWS` overrides it.
 */
const rows = Number(process.env.LATCHKEY_PLAN_ROWS ?? 40_000)

const [parent, otherParent] = [randomUUID(), randomUUID()]

let database: Awaited<ReturnType<typeof startTestDatabase>>
let store: Store
let owner: Store
beforeAll(async () => {
  database = await startTestDatabase({ migrated: true })
  owner = await openStore({ databaseUrl: database.url, timeoutMs: 600_000, maxConnections: 1 })
  await fillLists({ databaseUrl: database.url, rows, parent, other: otherParent })
  store = await openStore({ databaseUrl: asRole(database.url, 'admin'), maxConnections: 1, timeoutMs: 60_000 })
}, 300_000 + rows)
afterAll(async () => {
  await store?.close()
  await owner?.close()
  await database?.close()
})

type Node = {
  'Node Type': string
  'Actual Rows': number
  'Relation Name'?: string
  'Index Name'?: string
  Plans?: Node[]
}

async function plan({ sql: text, parameters }: CompiledQuery, of = store): Promise<Node[]> {
  const { rows: found } = await of.pool.query<{ 'QUERY PLAN': [{ Plan: Node; 'Execution Time': number }] }>(
    `explain (analyze, format json) ${text}`,
    [...parameters],
  )
  const [top] = found[0]?.['QUERY PLAN'] ?? []
  if (process.env.LATCHKEY_PLAN_ROWS) process.stdout.write(`${String(top?.['Execution Time'])} ms\n`)
  const list = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(list)]
  return top ? list(top.Plan) : []
}

const middle = { micros: String((Date.now() - rows * 15_000) * 1000), userOpHash: `0x${'ff'.repeat(32)}` }
const pages = <place>(middle: place) =>
  (['newest', 'oldest'] as const).flatMap((order) => [undefined, middle].map((after) => [after, order] as const))

const filters: Partial<listOperations.Parameters>[] = [
  {},
  { projectId: 'big' },
  { projectId: 'small' },
  { projectId: 'big', policyId: 'p7' },
  { chainId: 10 },
  { chainId: 1 },
  { sender: `0x${'7'.padStart(40, '0')}` },
  { state: 'failed' },
  { state: 'included' },
  { state: 'dropped' },
  { projectId: 'big', state: 'failed' },
  { projectId: 'big', sender: `0x${'7'.padStart(40, '0')}` },
  { from: new Date(Date.now() - 3_600_000), to: new Date() },
  { projectId: 'big', chainId: 1, from: new Date(Date.now() - 7_200_000) },
]

test.each(filters)('reads operations by filter %# in index order', async (filter) => {
  for (const [after, order] of pages(middle)) {
    const nodes = await plan(buildOperations(store.db, { ...filter, limit: 51, order, after }).compile())
    const kinds = nodes.map((node) => node['Node Type'])
    expect([kinds, kinds.includes('Seq Scan')]).toEqual([kinds, false])
    expect(nodes.some((node) => node['Index Name']?.startsWith('operations_'))).toBe(true)
    // Other filters match few operations, so a sort is acceptable.
    if (filter.sender === undefined && filter.state !== 'failed' && filter.state !== 'dropped')
      expect([kinds, kinds.includes('Sort')]).toEqual([kinds, false])
  }
})

test('finds the log and an operation by their keys', async () => {
  for (const [query, index] of [
    [
      sql`select seq from operator_log where project_id = ${'p7'} and seq < 15000 order by seq desc limit 51`,
      'operator_log_',
    ],
    [sql`select seq from operator_log where operator_id = ${'o7'} order by seq desc limit 51`, 'operator_log_'],
    // An operator without log entries must not cause a scan of other operators' log entries.
    [
      sql`select seq from operator_log where operator_id = ${'o99'} order by seq desc limit 51`,
      'operator_log_operator',
    ],
    [sql`select seq from operator_log order by seq desc limit 51`, 'operator_log_pkey'],
    // Log entries are verified in batches of this size.
    [sql`select seq, row_mac from operator_log order by seq desc limit 1001`, 'operator_log_pkey'],
    [sql`select seq from operator_log order by seq asc limit 51`, 'operator_log_pkey'],
    [sql`select state from operations where user_op_hash = ${middle.userOpHash}`, 'operations_pkey'],
  ] as const) {
    const names = (await plan(query.compile(store.db))).map((node) => node['Index Name'] ?? node['Node Type'])
    expect([names, names.some((name) => name.startsWith(index))]).toEqual([names, true])
  }
})

const place = { micros: middle.micros, id: '88888888-8888-4888-8888-888888888888' }

/** Expects the query to read rows in index order by time. It may sort one page, or rows with equal times. */
async function expectOrdered(query: CompiledQuery, table: string): Promise<void> {
  const nodes = await plan(query)
  const kinds = nodes.map((node) => node['Node Type'])
  const isDear = (node: Node) =>
    ['Seq Scan', 'Bitmap Heap Scan'].includes(node['Node Type']) ||
    (node['Node Type'] === 'Sort' && (node.Plans ?? []).some((below) => below['Actual Rows'] > 51))
  expect([kinds, nodes.some(isDear)]).toEqual([kinds, false])
  expect(nodes.some((node) => node['Index Name']?.startsWith(table))).toBe(true)
}

test.each([undefined, ...mailStates])('reads mails in state %s in index order', async (state) => {
  for (const [after, order] of pages(place))
    await expectOrdered(mailsQuery(store.db, { state, order, after, limit: 51 }).compile(), 'mail_outbox_')
})

test.each([undefined, 'account_frozen', 'code_refused', 'none'])(
  'reads security events of kind %s in index order',
  async (event) => {
    for (const [after, order] of pages(String(rows / 2)))
      await expectOrdered(
        securityEventsQuery(store.db, { event, order, after, limit: 51 }).compile(),
        'security_events_',
      )
  },
)

test('finds users by indexes within the search function', async () => {
  const { rows: found } = await owner.pool.query<{ body: string }>(
    `select prosrc as body from pg_proc where proname = 'find_organizations'`,
  )
  for (const wanted of [{ wanted_email: 'person.77@example.com' }, { wanted_address: `0x${'77'.padStart(40, '0')}` }]) {
    const values: Record<string, string> = { wanted_email: '', wanted_address: '', ...wanted }
    const body = (found[0]?.body ?? '').replace(/wanted_\w+/g, (name) => `'${values[name]}'`)
    const nodes = await plan(sql.raw(body).compile(owner.db), owner)
    const read = nodes.filter((node) => node['Node Type'] === 'Seq Scan').map((node) => node['Relation Name'])
    // The table of private keys is empty in this test.
    expect(read.filter((table) => table !== 'private_keys')).toEqual([])
  }
})
