import { sql } from 'kysely'

/** In which order a list is read by time. */
export type TimeOrder = 'newest' | 'oldest'

/** The same by the gas that an operation used. */
export type GasOrder = 'most-gas' | 'least-gas'

type Order = TimeOrder | GasOrder | undefined
const isAscending = (order: Order) => order === 'oldest' || order === 'least-gas'

/** The place of a row in a list by time: microseconds since the epoch, which a JavaScript date would cut off, and id. */
export type TimePlace = { micros: string; id: string }

/** `created_at` in microseconds since the epoch. */
export const micros = sql<string>`(extract(epoch from created_at) * 1000000)::bigint`.as('micros')

/** Of `order by`; an index in one direction is read in both. */
export const toDirection = (order: Order) => (isAscending(order) ? 'asc' : 'desc')

/** How the key of what comes behind a place compares to that place's. */
export const toComparison = (order: Order) => (isAscending(order) ? '>' : '<')

/** Behind a place in a list by `created_at` and a column with the id. */
export function isBehind(
  { micros, id }: TimePlace,
  { order, column, type }: { order: TimeOrder | undefined; column: string; type: 'uuid' | 'text' },
) {
  return sql<boolean>`(created_at, ${sql.ref(column)}) ${sql.raw(toComparison(order))}
    ('epoch'::timestamptz + ${micros}::bigint * interval '1 microsecond', ${id}::${sql.raw(type)})`
}
