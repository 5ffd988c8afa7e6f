import type { Context } from 'hono'
import { type Limit, tooManyRequests } from '../../http/rateLimit.ts'
import type { Db } from '../../store/openStore.ts'
import { takeToken } from '../../store/takeToken.ts'
import { readRequest } from '../access/readRequest.ts'
import { requireOrganization } from '../access/requireOrganization.ts'
import type { Caller } from '../access/requireProject.ts'
import type { CustodyClient } from './createCustodyClient.ts'
import { requirePath, stampedSchema } from './stampedRequest.ts'

export declare namespace createForward {
  type Deps = { db: Db; custody: CustodyClient; requestsPerOrganization: Limit }
  /** `path`: the one custody call that the route is for. Answers what custody answered. */
  type ReturnType = (context: Context<Caller>, path: string) => Promise<unknown>
}

/**
 * Sends the stamped request in a body on to custody: byte for byte, to the one path it may be for, and only when it is
 * about an organization of the caller's project.
 */
export function createForward({ db, custody, requestsPerOrganization }: createForward.Deps): createForward.ReturnType {
  return async (context, path) => {
    const { stampedRequest } = await readRequest(context, stampedSchema)
    requirePath(stampedRequest, path)
    const orgId = await requireOrganization(db, { project: context.get('project'), body: stampedRequest.body })
    // Everybody's passkey sign-ins name the parent.
    if (orgId !== context.get('project').organizationId) {
      const taken = await takeToken(db, { key: `organization ${orgId}`, ...requestsPerOrganization })
      if (!taken.ok) throw tooManyRequests(taken.retryAfterMs)
    }
    return custody.forward(path, stampedRequest, context.get('requestId'))
  }
}
