import type { QueryBinding } from 'latchkey-protocol'
import type { Endpoints } from '../../types.ts'
import type { Clock } from './createClock.ts'

/**
 * Sends a query whose stamp covers the body. Latchkey's custody requires path and time in the body, so that a leaked
 * stamp is not valid for another path or at a later time. Other services may refuse these members.
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
