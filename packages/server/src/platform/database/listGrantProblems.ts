import { sql } from 'kysely'
import { type DatabaseRole, privileges } from './grants.ts'
import type { Db } from './openStore.ts'

export declare namespace listGrantProblems {
  type ReturnType = {
    /** The database's user. */
    user: string
    /** Privileges that the role needs but the user lacks, such as `insert on wallets`. */
    missing: string[]
    /** Tables that the user may read although the role does not need them. */
    beyond: string[]
  }
}

/** Compares the privileges of a connection's user with the privileges that a server role needs. */
export async function listGrantProblems(db: Db, role: DatabaseRole): Promise<listGrantProblems.ReturnType> {
  const { tables, functions = [] } = privileges[role]
  const wanted = Object.entries(tables).flatMap(([table, granted]) => readPrivileges(table, granted))
  const { rows: lacking } = await sql<{ text: string }>`
    select item ->> 'privilege' || ' on ' || (item ->> 'table') as text
    from jsonb_array_elements(${JSON.stringify(wanted)}::jsonb) with ordinality as list (item, place)
    where not case when item ->> 'column' is null
      then has_table_privilege(item ->> 'table', item ->> 'privilege')
      else has_column_privilege(item ->> 'table', item ->> 'column', item ->> 'privilege') end
    order by place`.execute(db)
  const { rows: closed } = await sql<{ text: string }>`
    select 'execute on ' || name as text from unnest(${[...functions]}::text[]) as name
    where not has_function_privilege(name, 'execute')`.execute(db)
  const { rows: readable } = await sql<{ name: string; user: string }>`
    select tablename as name from pg_tables
    where schemaname = current_schema() and tablename <> all (${[...Object.keys(tables), ...common]}::text[])
      and has_any_column_privilege(format('%I.%I', schemaname, tablename), 'select')
    order by 1`.execute(db)
  const { rows: users } = await sql<{ user: string }>`select current_user::text as user`.execute(db)
  return {
    user: users[0]?.user ?? '',
    missing: [...new Set([...lacking, ...closed].map(({ text }) => text))],
    beyond: readable.map(({ name }) => name),
  }
}

/** Tables that every role may read. */
const common = ['kysely_migration', 'devnet_clock', 'server_copies']

type Privilege = { table: string; privilege: string; column?: string }

function readPrivileges(table: string, granted: string): Privilege[] {
  return [...granted.matchAll(/(\w+)\s*(?:\(([^)]*)\))?/g)].flatMap(([, privilege = '', columns]) =>
    columns === undefined
      ? [{ table, privilege }]
      : columns.split(',').map((column) => ({ table, privilege, column: column.trim() })),
  )
}
