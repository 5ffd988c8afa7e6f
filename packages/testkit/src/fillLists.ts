import { readFileSync } from 'node:fs'
import pg from 'pg'

export declare namespace fillLists {
  /** `databaseUrl` connects as the tables' owner. */
  type Parameters = { databaseUrl: string; rows: number; parent: string; other: string }
}

/** Runs `lists.sql`, which inserts rows for the operators' lists. */
export async function fillLists({ databaseUrl, ...values }: fillLists.Parameters): Promise<void> {
  const text = readFileSync(new URL('./lists.sql', import.meta.url), 'utf8')
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    const filled = Object.entries(values).reduce(
      (sql, [name, value]) => sql.replaceAll(`:${name}`, String(value)),
      text,
    )
    for (const statement of filled.split(';\n\n')) await client.query(statement)
  } finally {
    await client.end()
  }
}
