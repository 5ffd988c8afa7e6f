import { Hono } from 'hono'
import type { EmailAuthResponse } from 'latchkey/wire'
import { ServerError } from '../../http/ServerError.ts'
import { readRequest } from '../access/readRequest.ts'
import type { Caller } from '../access/requireProject.ts'
import type { createEmailAuth } from '../email-auth/createEmailAuth.ts'
import { normalizeEmail } from '../email-auth/normalizeEmail.ts'
import { findOrCreateUser } from './findOrCreateUser.ts'
import { signupSchema } from './schema.ts'

export declare namespace signupRoutes {
  type Deps = findOrCreateUser.Deps & { emailAuth: createEmailAuth.ReturnType }
}

/**
 * `POST /v1/signup`: makes a sub-organization with a wallet and mails the first link. May be repeated: the
 * sub-organization of an e-mail is made once.
 */
export function signupRoutes(deps: signupRoutes.Deps): Hono<Caller> {
  return new Hono<Caller>().post('/', async (context) => {
    const body = await readRequest(context, signupSchema)
    if ('passkey' in body)
      throw new ServerError('Sign-up by passkey is not available on this server. Sign up by e-mail.', {
        code: 'METHOD_NOT_SUPPORTED',
        status: 400,
      })
    const user = await findOrCreateUser(deps, normalizeEmail(body.email))
    await deps.emailAuth({ user, project: context.get('project'), origin: context.get('origin'), body })
    return context.json({ orgId: user.orgId } satisfies EmailAuthResponse)
  })
}
