import { type SelectQueryBuilder, sql } from 'kysely'
import type { Tables } from '../../store/tables.ts'
import { custodyError } from '../custodyError.ts'
import type { Page } from './pageSchema.ts'

type Paged = 'organizations' | 'activities'

/**
 * One page of rows in the order of their creation: those that follow `after` or precede `before`, the nearest to it.
 * Rows are found by their place, so a page deep in the list costs what the first one does.
 *
 * @throws ServerError `NOT_FOUND` (404) when the query has no row with the id of the page
 */
export async function selectPage<table extends Paged, row extends { id: string }>(
  query: SelectQueryBuilder<Tables, table, row>,
  { table, page, newestFirst = false }: { table: table; page: Page; newestFirst?: boolean | undefined },
): Promise<row[]> {
  const [id, place] = [sql.ref(`${table}.id`), sql`(${sql.ref(`${table}.created_at`)}, ${sql.ref(`${table}.id`)})`]
  const placeOf = (cursor: string) => sql`(select created_at, id from ${sql.table(table)} where id = ${cursor})`
  for (const cursor of [page.after, page.before]) {
    if (cursor === undefined) continue
    const found = await query.where(sql<boolean>`${id} = ${cursor}`).executeTakeFirst()
    if (!found) throw custodyError('NOT_FOUND', 'Nothing in this list has the id in paginationOptions.')
  }
  const [later, earlier] = newestFirst ? [page.before, page.after] : [page.after, page.before]
  let selected = query
  if (later !== undefined) selected = selected.where(sql<boolean>`${place} > ${placeOf(later)}`)
  if (earlier !== undefined) selected = selected.where(sql<boolean>`${place} < ${placeOf(earlier)}`)
  // Backwards from `before`, so that the page ends there.
  const isBackwards = page.before !== undefined && page.after === undefined
  const direction = sql.raw(newestFirst !== isBackwards ? 'desc' : 'asc')
  const rows = await selected
    .orderBy(sql`${sql.ref(`${table}.created_at`)} ${direction}, ${id} ${direction}`)
    .limit(page.limit)
    .execute()
  return isBackwards ? rows.reverse() : rows
}
