import { sponsoredOperation, type Version } from '@latchkey/testkit/gateway/lightOperation'
import { startTestGateway, type TestGateway } from '@latchkey/testkit/gateway/startTestGateway'
import { explainStatements, type Plan, recordStatements } from '@latchkey/testkit/recordStatements'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { devAddresses } from '../../../dev/src/chain/devAddresses.ts'
import { upsertPolicy } from '../store/ledger/policies.ts'

// PostgreSQL plans every statement of paying, sending, waiting and reading blocks with sequential scans disabled.

const rows = 100_000
/** Ratio of all rows to open rows. */
const openEvery = 400

let gateway: TestGateway
let plans: Plan[]

beforeAll(async () => {
  gateway = await startTestGateway({ background: true })
  const day = { count: 1_000, cost: String(10n ** 20n) }
  const limits = { sender: { day, total: day }, policy: { day, total: day } }
  await upsertPolicy(gateway.db, { projectId: 'app', id: 'default', isDefault: true, rules: { limits } })
  const statements = await recordStatements(async (during) => {
    for (const version of ['0.6.0', '0.7.0'] as const) await runOperation(version, during)
    during('')
  })
  await fillTables()
  plans = await explainStatements(gateway.ownerUrl, statements)
}, 300_000)
afterAll(() => gateway?.close())

async function runOperation(version: Version, during: (name: string) => void): Promise<void> {
  during('pay')
  const { signed } = await sponsoredOperation(gateway, version)
  during('send')
  expect(await gateway.ask('eth_sendUserOperation', signed.params)).toMatchObject({ result: signed.hash })
  during('wait')
  expect(await gateway.ask('latchkey_waitForUserOperation', [signed.hash])).toMatchObject({
    result: { state: 'included' },
  })
  during('look up')
  await gateway.waitForReceipt(signed.hash)
  expect(await gateway.ask('eth_getUserOperationByHash', [signed.hash])).toHaveProperty('result.entryPoint')
}

/** Fills the tables as if one chain had been used for years. Few rows are open, which is the worst case for a scan. */
async function fillTables(): Promise<void> {
  const entryPoint = devAddresses.entryPoints['0.6.0']
  const owner = new pg.Client({ connectionString: gateway.ownerUrl })
  await owner.connect()
  try {
    await owner.query('set session_replication_role = replica')
    await owner.query(
      `insert into operations (user_op_hash, project_id, policy_id, chain_id, entry_point, sender, nonce, state,
        block_number, block_hash, actual_gas_cost, ended_at, confirmed_at, valid_until, created_at)
      select '0x' || lpad(to_hex(n), 64, '0'), 'app', 'p' || n % 20, $1, $2, '0x' || lpad(to_hex(n % 5000), 40, '0'), n,
        'included', n, '0xb', 1, now(), now(), now(), now() - n * interval '30 seconds'
      from generate_series(1, $3::int) as n`,
      [gateway.chainId, entryPoint, rows],
    )
    await owner.query(
      `insert into reservations (chain_id, entry_point, sender, nonce, state, amount, valid_until, paymaster, project_id,
        policy_id, actual_cost, block_number, block_time, caller_ip, caller_key)
      select $1, $2, '0x' || lpad(to_hex(n % 5000), 40, '0'), n,
        case when n % $4 = 0 then 'reserved' else 'settled' end, 5, now(), '0xp', 'app', 'p' || n % 20, 3,
        case when n % $4 = 0 then null else n end, now() - n * interval '10 minutes', 'ip' || n % 3000, 'key' || n % 50
      from generate_series(1, $3::int) as n`,
      [gateway.chainId, entryPoint, rows, openEvery],
    )
    await owner.query(
      `insert into sponsorships (id, project_id, policy_id, chain_id, entry_point, sender, nonce, max_cost, state,
        valid_until, paymaster, caller_ip, caller_key)
      select gen_random_uuid(), 'app', 'p' || n % 20, $1, $2, '0x' || lpad(to_hex(n % 5000), 40, '0'), n, 5,
        case when n % $4 = 0 then 'signed' else 'included' end, now(), '0xp', 'ip' || n % 3000, 'key' || n % 50
      from generate_series(1, $3::int) as n`,
      [gateway.chainId, entryPoint, rows, openEvery],
    )
    await owner.query(
      `insert into policy_spend (project_id, policy_id, spender, chain_id, day, count, cost)
      select 'app', 'default', '0x' || lpad(to_hex(n), 40, '0'), $1, current_date, 1, 1 from generate_series(1, $2::int) as n`,
      [gateway.chainId, rows],
    )
    await owner.query('vacuum analyze')
  } finally {
    await owner.end()
  }
}

/** The queue library polls these tables. */
const ofQueue = new Set(['_private_job_queues', '_private_jobs'])
/** These indexes contain only open rows and may be read as a whole. */
const ofOpenRows = new Set(['sponsorships_signed', 'reservations_valid_until'])

test('finds every row by an index', () => {
  expect(plans.length).toBeGreaterThan(30)
  const without = plans.flatMap(({ during, text, scans }) =>
    scans
      .filter(({ kind, table, index = '', conditions }) => {
        const isWhole = kind === 'Seq Scan' || !conditions.startsWith('INDEX')
        return isWhole && !ofQueue.has(table) && !ofOpenRows.has(index)
      })
      .map((scan) => ({ during, text, scan })),
  )
  expect(without).toEqual([])
})
