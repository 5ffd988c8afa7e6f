import pg from 'pg'

/** Statements, each with the activity during which it was first sent. */
export type Statements = ReadonlyMap<string, string>

/** Records the statements of all `pg` clients in this process while `use` runs. `during('')` pauses the recording. */
export async function recordStatements(use: (during: (name: string) => void) => Promise<void>): Promise<Statements> {
  const statements = new Map<string, string>()
  let now = ''
  const { query } = pg.Client.prototype
  pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
    const [given] = args
    const text = typeof given === 'string' ? given : String((given as { text?: string } | null)?.text ?? '')
    if (now !== '' && /^\s*(?:select|insert|update|delete|with)\b/i.test(text) && !statements.has(text))
      statements.set(text, now)
    return Reflect.apply(query, this, args)
  } as typeof query
  try {
    await use((name) => {
      now = name
    })
    return statements
  } finally {
    pg.Client.prototype.query = query
  }
}

export type Scan = { kind: string; table: string; index: string | undefined; conditions: string }
export type Plan = { text: string; during: string; scans: Scan[] }

type Node = Record<string, unknown> & { 'Node Type': string; Plans?: Node[] }

/**
 * Plans each statement with sequential scans disabled. A plan that still contains one has no usable index.
 * `mayReadWhole` leaves sequential scans enabled, for tables with rows and statistics.
 */
export async function explainStatements(
  databaseUrl: string,
  statements: Statements,
  { mayReadWhole = false } = {},
): Promise<Plan[]> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    if (!mayReadWhole) await client.query('set enable_seqscan = off')
    const found: Plan[] = []
    for (const [text, during] of statements) {
      const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Node }] }>(
        `explain (generic_plan, format json) ${text}`,
      )
      const top = rows[0]?.['QUERY PLAN'][0].Plan
      found.push({ text, during, scans: top ? listScans(top) : [] })
    }
    return found
  } finally {
    await client.end()
  }
}

/** Returns the plan nodes that read a table. The index scan of a bitmap scan counts as part of it. */
function listScans(node: Node): Scan[] {
  const inner = (node.Plans ?? []).flatMap(listScans)
  const table = node['Relation Name']
  const kind = node['Node Type']
  if (typeof table !== 'string' || !kind.includes('Scan')) return inner
  const parts = [node, ...(node.Plans ?? [])]
  const by = parts.flatMap((part) => part['Index Cond'] ?? part['TID Cond'] ?? [])
  const rest = parts.flatMap((part) => part.Filter ?? [])
  const conditions = [by.length > 0 ? `INDEX ${by.join(' ')}` : 'NO INDEX', ...rest].join(' ')
  const index = parts.map((part) => part['Index Name']).find((name) => typeof name === 'string')
  return [...inner, { kind, table, index: index as string | undefined, conditions }]
}
