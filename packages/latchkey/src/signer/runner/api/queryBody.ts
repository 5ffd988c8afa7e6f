import type { QueryBinding } from 'latchkey-protocol'
import type { Endpoints } from '../../types.ts'
import type { Clock } from './createClock.ts'

/**
 * Sends a query with the body covered by its stamp. Latchkey's custody requires the call and the time in the body, so
 * that a leaked stamp cannot be used for another call or later. Other services may refuse these members.
 */
export async function withQueryBody<result>(
  { endpoints, clock }: { endpoints: Endpoints; clock: Clock },
  path: string,
  parameters: object,
  send: (body: string) => Promise<result>,
): Promise<result> {
  const { boundQueries } = await endpoints.getConfig()
  if (!boundQueries) return send(JSON.stringify(parameters))
  return clock.withTime((timestampMs) => {
    const binding: QueryBinding = { path, timestampMs: String(timestampMs) }
    return send(JSON.stringify({ ...parameters, ...binding }))
  })
}
