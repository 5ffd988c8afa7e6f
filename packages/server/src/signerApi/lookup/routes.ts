import { Hono } from 'hono'
import type { LookupResponse } from 'latchkey/wire'
import type { Db } from '../../store/openStore.ts'
import { findUserByEmail } from '../../store/users.ts'
import { readRequest } from '../access/readRequest.ts'
import type { Caller } from '../access/requireProject.ts'
import { normalizeEmail } from '../email-auth/normalizeEmail.ts'
import { lookupSchema } from './schema.ts'

export declare namespace lookupRoutes {
  type Deps = { db: Db }
}

/**
 * `POST /v1/lookup`: the sub-organization of an e-mail. A user counts only once they have signed in with a link from
 * that mailbox, so a sign-up whose mail was lost is repeated as a sign-up.
 */
export function lookupRoutes({ db }: lookupRoutes.Deps): Hono<Caller> {
  return new Hono<Caller>().post('/', async (context) => {
    const email = normalizeEmail((await readRequest(context, lookupSchema)).email)
    const user = await findUserByEmail(db, { parentOrgId: context.get('project').organizationId, email })
    return context.json({ orgId: user?.verified ? user.orgId : null } satisfies LookupResponse)
  })
}
