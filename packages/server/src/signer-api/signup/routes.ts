import { Hono } from 'hono'
import type { EmailAuthResponse, PasskeySignupResponse } from 'latchkey/wire'
import { readRequest } from '../access/readRequest.ts'
import type { Caller } from '../access/requireProject.ts'
import type { createEmailAuth } from '../email-auth/createEmailAuth.ts'
import { normalizeEmail } from '../email-auth/normalizeEmail.ts'
import { createPasskeyUser } from './createPasskeyUser.ts'
import { findOrCreateUser } from './findOrCreateUser.ts'
import { signupSchema } from './schema.ts'

export declare namespace signupRoutes {
  type Deps = findOrCreateUser.Deps & { emailAuth: createEmailAuth.ReturnType }
}

/**
 * `POST /v1/signup`: makes a sub-organization with a wallet. By e-mail it mails the first link and may be repeated: the
 * sub-organization of an e-mail is made once. By passkey it answers the new user, who may sign in at once.
 */
export function signupRoutes(deps: signupRoutes.Deps): Hono<Caller> {
  return new Hono<Caller>().post('/', async (context) => {
    const body = await readRequest(context, signupSchema)
    if ('passkey' in body)
      return context.json((await createPasskeyUser(deps, body.passkey)) satisfies PasskeySignupResponse)
    const user = await findOrCreateUser(deps, normalizeEmail(body.email))
    await deps.emailAuth({ user, project: context.get('project'), origin: context.get('origin'), body })
    return context.json({ orgId: user.orgId } satisfies EmailAuthResponse)
  })
}
