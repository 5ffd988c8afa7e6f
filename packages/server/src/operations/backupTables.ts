import type pg from 'pg'
import { z } from 'zod'
import { configInvalid } from '../platform/errors/ServerError.ts'

/** A table with its columns as `name type`, but for those that PostgreSQL computes. */
export const backupTableSchema = z.strictObject({ name: z.string(), columns: z.array(z.string()) })
export type BackupTable = z.output<typeof backupTableSchema>

/**
 * The schema's own tables, each after those it refers to. Not those of migrations, which a restore runs, and not the clock of
 * test worlds. The queue of jobs is left out as well: at their start the roles plan what waits.
 */
export async function listBackupTables(client: pg.ClientBase): Promise<BackupTable[]> {
  const { rows } = await client.query<BackupTable & { needs: string[] }>(`
    select c.relname as name,
      (select array_agg(format('%I %s', a.attname, format_type(a.atttypid, a.atttypmod)) order by a.attname)
        from pg_attribute a
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as columns,
      array(select distinct f.confrelid::regclass::text from pg_constraint f
        where f.conrelid = c.oid and f.contype = 'f' and f.confrelid <> c.oid) as needs
    from pg_class c
    where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace
      and c.relname not in ('kysely_migration', 'kysely_migration_lock', 'world_clock')
    order by c.relname`)
  const sorted: BackupTable[] = []
  const waiting = new Map(rows.map((row) => [row.name, row]))
  while (waiting.size > 0) {
    const next = [...waiting.values()].find(({ needs }) => !needs.some((name) => waiting.has(name)))
    if (!next) throw configInvalid(`The tables ${[...waiting.keys()].join(', ')} refer to each other in a circle.`)
    waiting.delete(next.name)
    sorted.push({ name: next.name, columns: next.columns })
  }
  return sorted
}

/** Names of the migrations that ran. */
export async function listMigrations(client: pg.ClientBase): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>('select name from kysely_migration order by name')
  return rows.map(({ name }) => name)
}

/** `"table" (columns)` for COPY: both sides name the columns, whose order may differ. */
export function copyTarget({ name, columns }: BackupTable): string {
  return `"${name}" (${columns.map((column) => column.slice(0, column.indexOf(' '))).join(', ')})`
}
