import { sql } from 'kysely'

export type TimeOrder = 'newest' | 'oldest'

export type GasOrder = 'most-gas' | 'least-gas'

type Order = TimeOrder | GasOrder | undefined
const isAscending = (order: Order) => order === 'oldest' || order === 'least-gas'

/**
 * Position of a row in a list by time: the id, and microseconds since the epoch, which a JavaScript date would
 * truncate.
 */
export type TimePlace = { micros: string; id: string }

/** `created_at` in microseconds since the epoch. */
export const micros = sql<string>`(extract(epoch from created_at) * 1000000)::bigint`.as('micros')

/** Direction of `order by`; one index serves both directions. */
export const toDirection = (order: Order) => (isAscending(order) ? 'asc' : 'desc')

/** Comparison operator for keys of rows after a position. */
export const toComparison = (order: Order) => (isAscending(order) ? '>' : '<')

/** Returns the condition for rows after a position in a list by `created_at` and an id column. */
export function isBehind(
  { micros, id }: TimePlace,
  { order, column, type }: { order: TimeOrder | undefined; column: string; type: 'uuid' | 'text' },
) {
  return sql<boolean>`(created_at, ${sql.ref(column)}) ${sql.raw(toComparison(order))}
    ('epoch'::timestamptz + ${micros}::bigint * interval '1 microsecond', ${id}::${sql.raw(type)})`
}
