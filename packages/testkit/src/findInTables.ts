import pg from 'pg'

/** Returns the columns (`table.column`) that contain one of the texts, ignoring case, with the value. */
export async function findInTables(
  pool: Pick<pg.Pool, 'query'>,
  texts: readonly string[],
): Promise<Map<string, string>> {
  const { rows } = await pool.query<{ name: string; column: string }>(`
    select table_name as name, column_name as column from information_schema.columns
    where table_schema = current_schema() and table_name not like 'kysely%'`)
  if (rows.length < 200) throw new TypeError(`${rows.length} columns are not all there are`)
  const found = new Map<string, string>()
  for (const { name, column } of rows) {
    const value = `"${column}"`
    // Searches binary columns as hex and as characters.
    const text = `${value}::text || case when pg_typeof(${value})::text = 'bytea' then encode(${value}::text::bytea, 'escape') else '' end`
    for (const wanted of texts) {
      const hex = Buffer.from(wanted).toString('hex')
      const query = `select ${value}::text as held from "${name}" where ${text} ilike $1 or ${value}::text ilike $2 limit 1`
      const { rows: held } = await pool.query(query, [`%${wanted}%`, `%${hex}%`])
      if (held[0]) found.set(`${name}.${column}`, String(held[0].held).slice(0, 200))
    }
  }
  return found
}

/** Returns the sorted names of the columns that contain a text, in the database at `databaseUrl`. */
export async function listColumnsWith(databaseUrl: string, text: string): Promise<string[]> {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 1 })
  try {
    return [...(await findInTables(pool, [text])).keys()].sort()
  } finally {
    await pool.end()
  }
}
