import { type Limit, tooManyRequests } from '../../http/rateLimit.ts'
import { takeToken } from '../../store/rateLimits/takeToken.ts'
import type { CustodyContext } from '../deps.ts'
import type { Organization } from '../organizations/findOrganization.ts'

const activitiesPerOrganization: Limit = { limit: 600, windowMs: 60_000 }

/**
 * Bounds what a sub-organization may have done, by whomever: each takes a place in its log for ever. A parent acts for
 * everybody.
 *
 * @throws ServerError `RATE_LIMIT_EXCEEDED` (429)
 */
export async function limitOrganization(
  { db }: Pick<CustodyContext, 'db'>,
  { id, parentId }: Pick<Organization, 'id' | 'parentId'>,
): Promise<void> {
  if (parentId === null) return
  const taken = await takeToken(db, { key: `activities ${id}`, ...activitiesPerOrganization })
  if (!taken.ok) throw tooManyRequests(taken.retryAfterMs)
}
