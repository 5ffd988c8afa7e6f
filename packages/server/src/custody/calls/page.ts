import { type SelectQueryBuilder, sql } from 'kysely'
import { z } from 'zod'
import type { Tables } from '../../platform/database/tables.ts'
import { custodyError } from '../custodyError.ts'
import { maxPageRows } from '../custodyLimits.ts'

/**
 * Schema of `paginationOptions` (custody protocol § 2.6). Without a limit, a page has the maximum length, since some
 * clients search for a row without requesting a second page. `after` and `before` are row ids.
 */
export const pageSchema = z
  .strictObject({
    limit: z
      .union([z.string().regex(/^\d{1,3}$/), z.int()])
      .transform(Number)
      .refine((limit) => limit >= 1 && limit <= maxPageRows, `must be 1 to ${maxPageRows}`)
      .default(maxPageRows),
    before: z.uuid().optional(),
    after: z.uuid().optional(),
  })
  .default({ limit: maxPageRows })

type Page = z.output<typeof pageSchema>
type Paged = 'organizations' | 'activities'

export declare namespace selectPage {
  type Options<table extends Paged> = {
    table: table
    page: Page
    /** @default false */
    newestFirst?: boolean | undefined
  }
}

/**
 * Selects one page of rows in creation order: those nearest to `after` or `before`. Uses keyset pagination, so a deep
 * page costs as much as the first one.
 *
 * @throws `NOT_FOUND` if the query has no row with the given id.
 */
export async function selectPage<table extends Paged, row extends { id: string }>(
  query: SelectQueryBuilder<Tables, table, row>,
  { table, page, newestFirst = false }: selectPage.Options<table>,
): Promise<row[]> {
  const [id, place] = [sql.ref(`${table}.id`), sql`(${sql.ref(`${table}.created_at`)}, ${sql.ref(`${table}.id`)})`]
  const findPlace = (cursor: string) => sql`(select created_at, id from ${sql.table(table)} where id = ${cursor})`
  for (const cursor of [page.after, page.before]) {
    if (cursor === undefined) continue
    const found = await query.where(sql<boolean>`${id} = ${cursor}`).executeTakeFirst()
    if (!found) throw custodyError('NOT_FOUND', 'Nothing in this list has the id in paginationOptions.')
  }
  const [later, earlier] = newestFirst ? [page.before, page.after] : [page.after, page.before]
  let selected = query
  if (later !== undefined) selected = selected.where(sql<boolean>`${place} > ${findPlace(later)}`)
  if (earlier !== undefined) selected = selected.where(sql<boolean>`${place} < ${findPlace(earlier)}`)
  // Reads backwards from `before`, so that the page ends just before it.
  const isBackwards = page.before !== undefined && page.after === undefined
  const direction = sql.raw(newestFirst !== isBackwards ? 'desc' : 'asc')
  const rows = await selected
    .orderBy(sql`${sql.ref(`${table}.created_at`)} ${direction}, ${id} ${direction}`)
    .limit(page.limit)
    .execute()
  return isBackwards ? rows.reverse() : rows
}
