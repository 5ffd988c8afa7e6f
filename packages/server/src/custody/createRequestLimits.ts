import type { Db } from '../platform/database/openStore.ts'
import { createScheduler } from '../platform/limits/createScheduler.ts'
import { createTokenLeases } from '../platform/limits/createTokenLeases.ts'
import type { LimitName } from '../platform/limits/limitNames.ts'
import { type Limit, tooManyRequests } from '../platform/limits/rateLimit.ts'
import { tooManyAtOnce } from './custodyError.ts'
import {
  activitiesPerOrganization,
  queriesPerOrganization,
  signingShares,
  turnWaitMs,
  workShares,
} from './custodyLimits.ts'
import type { Organization } from './organizations/organization.ts'

type Target = Pick<Organization, 'id' | 'parentId'>
type Takes = (organization: Target) => Promise<void>
type RunFor = <result>(organization: Target, work: () => Promise<result>) => Promise<result>

/** Limits on every call: first by client IP address, then by organization once the caller is known. */
export type RequestLimits = {
  /** Takes a token of an IP address's limit. */
  take: createTokenLeases.ReturnType
  /**
   * Counts an activity of a sub-organization, including its parent's activities on it. Requests without a stamp are
   * counted separately, so that they do not use up the users' limit.
   */
  takeActivity(organization: Target, request: { isStamped: boolean }): Promise<void>
  takeQuery: Takes
  /** Runs work that uses a database connection, within its organization's share. */
  runWork: RunFor
  /** Runs a signature, within its organization's share. */
  runSigning: RunFor
}

/**
 * Creates the limits of IP addresses and organizations. A parent organization acts for all its users, so only its share
 * of concurrent work is limited.
 *
 * @throws `RATE_LIMIT_EXCEEDED` (429), by every member except `take`.
 */
export function createRequestLimits(
  db: Db,
  { waitMs = turnWaitMs }: { waitMs?: number | undefined } = {},
): RequestLimits {
  const take = createTokenLeases({ db, table: 'custody_limits' })
  async function takeOrRefuse(name: LimitName, limit: Limit, key: string | null): Promise<void> {
    const taken = key === null ? undefined : await take({ ...limit, key })
    if (taken?.ok === false) throw tooManyRequests(name, taken.retryAfterMs)
  }
  function runFor(shares: typeof workShares): RunFor {
    const schedule = createScheduler({ ...shares, waitMs, refuse: tooManyAtOnce })
    return ({ id, parentId }, work) => schedule({ group: parentId ?? id, member: id }, work)
  }
  return {
    take,
    takeActivity: ({ id, parentId }, { isStamped }) =>
      takeOrRefuse(
        'custody.activitiesPerOrganization',
        activitiesPerOrganization,
        parentId && `${isStamped ? 'activities' : 'unstamped activities'} ${id}`,
      ),
    takeQuery: ({ id, parentId }) =>
      takeOrRefuse('custody.queriesPerOrganization', queriesPerOrganization, parentId && `queries ${id}`),
    runWork: runFor(workShares),
    runSigning: runFor(signingShares),
  }
}
