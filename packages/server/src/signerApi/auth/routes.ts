import { Hono } from 'hono'
import type { EmailAuthResponse } from 'latchkey/wire'
import { ServerError } from '../../http/ServerError.ts'
import type { Db } from '../../store/openStore.ts'
import { findUserByEmail } from '../../store/users.ts'
import { readRequest } from '../access/readRequest.ts'
import type { Caller } from '../access/requireProject.ts'
import type { createEmailAuth } from '../email-auth/createEmailAuth.ts'
import { normalizeEmail } from '../email-auth/normalizeEmail.ts'
import { readAsker } from '../email-auth/readAsker.ts'
import { emailAuthSchema } from '../email-auth/schema.ts'

export declare namespace authRoutes {
  type Deps = { db: Db; emailAuth: createEmailAuth.ReturnType }
}

/** `POST /v1/auth`: mails a sign-in link and a code to a user who exists. */
export function authRoutes({ db, emailAuth }: authRoutes.Deps): Hono<Caller> {
  return new Hono<Caller>().post('/', async (context) => {
    const body = await readRequest(context, emailAuthSchema)
    const email = normalizeEmail(body.email)
    const user = await findUserByEmail(db, { parentOrgId: context.get('project').organizationId, email })
    if (!user)
      throw new ServerError('No user found with this e-mail. Sign up first.', { code: 'NO_USER_FOUND', status: 404 })
    const { otpId } = await emailAuth({ user, body, ...readAsker(context) })
    return context.json({ orgId: user.orgId, otpId } satisfies EmailAuthResponse)
  })
}
