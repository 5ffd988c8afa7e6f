import { execFile } from 'node:child_process'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Store } from '../../../server/src/platform/database/openStore.ts'
import { checkLedger } from '../gateway/checkLedger.ts'
import { ownPaymasters } from '../gateway/paymasters.ts'
import type { FaultDevnet } from './startFaultDevnet.ts'

const program = fileURLToPath(new URL('../../../server/dist/cli/main.js', import.meta.url))
const paymasters = Object.values(ownPaymasters).map((options) =>
  typeof options === 'object' && 'address' in options ? options.address : '0x',
)

/** Queries by type of loss. Each returned row is a loss, identified by its first column. */
const broken: Readonly<Record<string, string>> = {
  'an address with more than one account': `select u.email as what from users u group by u.email having count(*) > 1`,
  'an account without its one wallet': `select o.id::text as what from organizations o
    left join wallets w on w.org_id = o.id where o.parent_id is not null group by o.id having count(w.id) <> 1`,
  'an activity that was begun and not ended': `select id::text as what from activities
    where status not in ('ACTIVITY_STATUS_COMPLETED')`,
  'an activity that is not in the log once': `select a.id::text as what from activities a
    left join activity_log l on l.activity_id = a.id
    group by a.id having count(l.activity_id) <> 1`,
  'a mail that was neither sent nor given up': `select id::text as what from mail_outbox where state = 'queued'`,
  'content of a mail that was kept': `select id::text as what from mail_outbox
    where state <> 'queued' and payload_sealed is not null`,
}

/**
 * Returns everything that was lost, repeated or disclosed, according to database, chain and mailboxes. Waits up to
 * `settleMs` for pending work, because a killed process locks an e-mail for half a minute. `asked` counts the requested
 * exports and signatures.
 */
export async function findLosses(
  devnet: FaultDevnet,
  asked: { exports: number; signatures: number },
  { settleMs = 90_000 }: { settleMs?: number } = {},
): Promise<string[]> {
  const store = await devnet.database.open()
  try {
    const deadline = performance.now() + settleMs
    for (;;) {
      const found = [...(await findBroken(store)), ...(await checkLedger({ ...devnet, db: store.db }, paymasters))]
      if (found.length === 0 || performance.now() > deadline)
        return [
          ...found,
          ...(await findRepeated(store, asked)),
          ...(await findRepeatedMails(devnet)),
          ...(await findExposed(devnet, store)),
          ...(await verifyLog(devnet)),
        ]
      await setTimeout(250)
    }
  } finally {
    await store.close()
  }
}

async function findBroken({ pool }: Store): Promise<string[]> {
  const found = await Promise.all(
    Object.entries(broken).map(async ([name, query]) =>
      (await pool.query<{ what: string }>(query)).rows.map(({ what }) => `${name}: ${what}`),
    ),
  )
  return found.flat()
}

async function findRepeated({ pool }: Store, asked: { exports: number; signatures: number }): Promise<string[]> {
  const count = async (type: string) => {
    const query = 'select count(*)::int as made from activities where type = $1'
    return (await pool.query<{ made: number }>(query, [type])).rows[0]?.made ?? 0
  }
  const exports = await count('ACTIVITY_TYPE_EXPORT_WALLET')
  const signatures = await count('ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2')
  return [
    ...(exports === asked.exports ? [] : [`${asked.exports} exports were asked for and ${exports} made.`]),
    ...(signatures === asked.signatures ? [] : [`${asked.signatures} signatures asked for and ${signatures} made.`]),
  ]
}

/**
 * Finds e-mails that arrived more than once with different content. An e-mail whose acknowledgment was lost may arrive
 * twice, but only the remaining minutes may differ.
 */
async function findRepeatedMails({ smtp }: FaultDevnet): Promise<string[]> {
  const contents = new Map<string, string[]>()
  return smtp.mails.flatMap(({ parsed }) => {
    const id = parsed.messageId ?? ''
    const lines = (parsed.text ?? '').replaceAll(/\b\d+ minutes?\b/g, 'some minutes').split('\n')
    const known = contents.get(id) ?? lines
    contents.set(id, lines)
    const differing = lines.filter((line, index) => line !== known[index])
    if (id === '') return ['A mail has no Message-ID.']
    return differing.length === 0 ? [] : [`Two mails are both ${id}: ${differing.join(' / ')}`]
  })
}

/** Searches output and tables for secrets. Tables contain binary secrets in hex. */
async function findExposed({ processes, secrets }: FaultDevnet, { pool }: Store): Promise<string[]> {
  const { rows: tables } = await pool.query<{ name: string }>(
    "select format('%I', tablename) as name from pg_tables where schemaname = 'public'",
  )
  const rows = await Promise.all(
    tables.map(async ({ name }) => {
      const query = `select coalesce(string_agg(row_to_json(t)::text, E'\n'), '') as text from ${name} t`
      return [`table ${name}`, (await pool.query<{ text: string }>(query)).rows[0]?.text ?? ''] as const
    }),
  )
  const printed = processes.map((role) => [`output of ${role.name}`, role.output()] as const)
  return [...rows, ...printed].flatMap(([place, text]) =>
    [...secrets]
      .filter((secret) => text.includes(secret) || text.includes(Buffer.from(secret).toString('hex')))
      .map((secret) => `${place} shows ${secret.slice(0, 6)}…`),
  )
}

async function verifyLog({ environment }: FaultDevnet): Promise<string[]> {
  try {
    await promisify(execFile)(process.execPath, [program, 'audit', 'verify'], { env: environment, timeout: 60_000 })
    return []
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
    return [`The log is not whole: ${stdout}${stderr}`]
  }
}
