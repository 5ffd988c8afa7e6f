import { Hono } from 'hono'
import { custodyPaths, type WhoamiUserResponse } from 'latchkey/wire'
import { type Address, isAddress } from 'viem'
import { z } from 'zod'
import { ServerError } from '../../http/ServerError.ts'
import type { Db } from '../../store/openStore.ts'
import { findUserProfile } from '../../store/users.ts'
import type { Caller } from '../access/requireProject.ts'
import { readAnswer } from '../custody-client/createCustodyClient.ts'
import type { createForward } from '../custody-client/createForward.ts'

const whoamiAnswer = z.object({
  organizationId: z.string(),
  userId: z.string(),
  address: z.custom<Address>((value) => typeof value === 'string' && isAddress(value)).optional(),
})

export declare namespace whoamiRoutes {
  type Deps = { db: Db; forward: createForward.ReturnType }
}

/**
 * `POST /v1/whoami`: who a stamp belongs to. Custody checks the stamp and, when it is by the session key of a mail, takes
 * the e-mail as proven. The address is custody's word, for it alone can tell a forged one.
 */
export function whoamiRoutes({ db, forward }: whoamiRoutes.Deps): Hono<Caller> {
  return new Hono<Caller>().post('/', async (context) => {
    const answer = readAnswer(whoamiAnswer, await forward(context, custodyPaths.whoami))
    const user = await findUserProfile(db, {
      userId: answer.userId,
      orgId: answer.organizationId,
      parentOrgId: context.get('project').organizationId,
    })
    const { address } = answer
    if (!user || address === undefined)
      throw new ServerError('No user found for this stamp, or the user has no wallet.', {
        code: 'NO_USER_FOUND',
        status: 404,
      })
    return context.json({
      ...(user.email !== null && { email: user.email }),
      orgId: user.orgId,
      userId: user.userId,
      address,
    } satisfies WhoamiUserResponse)
  })
}
