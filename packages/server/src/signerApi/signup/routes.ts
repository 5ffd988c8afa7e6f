import { Hono } from 'hono'
import type { EmailAuthResponse, PasskeySignupResponse } from 'latchkey/wire'
import { readRequest } from '../access/readRequest.ts'
import type { Caller } from '../access/requireProject.ts'
import type { createEmailAuth } from '../email-auth/createEmailAuth.ts'
import { normalizeEmail } from '../email-auth/normalizeEmail.ts'
import { readAsker } from '../email-auth/readAsker.ts'
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
    const owner = { parentOrgId: context.get('project').organizationId, requestId: context.get('requestId') }
    if ('passkey' in body) {
      const user = await createPasskeyUser(deps.custody, { ...owner, passkey: body.passkey })
      return context.json(user satisfies PasskeySignupResponse)
    }
    const user = await findOrCreateUser(deps, { ...owner, email: normalizeEmail(body.email) })
    const { otpId } = await deps.emailAuth({ user, body, ...readAsker(context) })
    return context.json({ orgId: user.orgId, otpId } satisfies EmailAuthResponse)
  })
}
