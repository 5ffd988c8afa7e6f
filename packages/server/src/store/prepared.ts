import type pg from 'pg'

const mark = /^\/\* prepared (\w{1,40}) \*\//

/**
 * Lets a connection keep the plan of queries that begin with `/* prepared <name> *\/`: those that every request makes. Their
 * columns must be named one by one, since a plan for `*` breaks when a migration adds a column.
 */
export function keepPlans(client: pg.PoolClient): void {
  const query = client.query.bind(client) as (...parameters: unknown[]) => unknown
  const named = (...parameters: unknown[]): unknown => {
    const [text, values, ...rest] = parameters
    const name = typeof text === 'string' ? mark.exec(text)?.[1] : undefined
    return name === undefined ? query(...parameters) : query({ name, text, values }, ...rest)
  }
  Object.assign(client, { query: named })
}
