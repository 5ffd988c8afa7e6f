import { tooManyRequests } from '../http/rateLimit.ts'
import type { Db } from '../store/openStore.ts'
import { createFairQueue } from './createFairQueue.ts'
import { createTokenTaker } from './custodyTokens.ts'
import { activitiesPerOrganization, queriesPerOrganization, signingShares, workShares } from './limits.ts'
import type { Organization } from './organizations/organization.ts'

type Target = Pick<Organization, 'id' | 'parentId'>
type Takes = (organization: Target) => Promise<void>

/** What every call passes, once its caller is known and before anything is done for it. */
export type RequestLimits = {
  /**
   * Counts an activity of a sub-organization, its parent's included: signing, too. Requests without a stamp are counted
   * apart, so that they do not use up the limit of its users.
   */
  takeActivity(organization: Target, request: { isStamped: boolean }): Promise<void>
  takeQuery: Takes
  /** For what holds a connection to the database. */
  takeWorkTurn: createFairQueue.ReturnType
  takeSigningTurn: createFairQueue.ReturnType
}

/**
 * The limits of organizations. A parent acts for all its users and has none, but for its share of the turns.
 *
 * @throws `RATE_LIMIT_EXCEEDED` (429), by every member.
 */
export function createRequestLimits(db: Db): RequestLimits {
  const takeActivity = createTokenTaker(db, activitiesPerOrganization)
  const takeQuery = createTokenTaker(db, queriesPerOrganization)
  return {
    takeActivity: ({ id, parentId }, { isStamped }) =>
      take(takeActivity, parentId && `${isStamped ? 'activities' : 'unstamped activities'} ${id}`),
    takeQuery: ({ id, parentId }) => take(takeQuery, parentId && `queries ${id}`),
    takeWorkTurn: createFairQueue(workShares),
    takeSigningTurn: createFairQueue(signingShares),
  }
}

async function take(taker: ReturnType<typeof createTokenTaker>, key: string | null): Promise<void> {
  const taken = key === null ? undefined : await taker(key)
  if (taken?.ok === false) throw tooManyRequests(taken.retryAfterMs)
}
