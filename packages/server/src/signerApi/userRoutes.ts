import { Hono } from 'hono'
import { type LookupResponse, type PasskeySignupResponse, signerApiPaths } from 'latchkey-protocol'
import { z } from 'zod'
import { ServerError } from '../platform/errors/ServerError.ts'
import { requireEmail } from '../platform/http/emails.ts'
import { readJson, validate } from '../platform/http/requestBody.ts'
import { type createEmailAuth, emailAuthSchema } from './createEmailAuth.ts'
import type { Caller } from './requireProject.ts'
import { createPasskeyUser, findOrCreateUser, findUserByEmail, passkeySchema } from './users.ts'

/** Unsupported methods of published clients, each with the reason. */
const otherMethods = z.union([
  z.object({ phone: z.string() }).transform(() => 'This server does not support phone numbers.'),
  z.object({ accessKey: z.object({}) }).transform(() => 'Keys of servers sign in at custody, not here.'),
])
export const lookupSchema = z.object({ email: z.string().max(512) })
export const signupSchema = z.union([
  emailAuthSchema,
  z.object({ passkey: passkeySchema, statement: z.literal(true).optional(), email: z.string().max(512).optional() }),
])
/** Shown for every address, so that it does not reveal accounts. */
const addressNotice =
  'The address was not stored because the passkey did not sign it. Call setEmail with it (update-email-auth, stamped by the passkey). It belongs to the account once the email to it is confirmed.'

export declare namespace userRoutes {
  type Deps = findOrCreateUser.Deps & { emailAuth: createEmailAuth.ReturnType }
}

async function readMethod<schema extends z.ZodType>(request: Request, schema: schema): Promise<z.output<schema>> {
  const given = await readJson(request, z.unknown())
  const other = otherMethods.safeParse(given)
  if (!other.success) return validate(schema, given)
  throw new ServerError(`${other.data} Use an email address or a passkey.`, {
    code: 'METHOD_NOT_SUPPORTED',
    status: 400,
  })
}

export function userRoutes({ db, custody, emailAuth }: userRoutes.Deps): Hono<Caller> {
  const routes = new Hono<Caller>()

  /**
   * Returns an email's sub-organization. Finds users only after a sign-in with a link from that mailbox, so that a
   * sign-up whose mail was lost can be repeated. A project that hides accounts always gets null, and its sign-ups send
   * existing users a sign-in link.
   */
  routes.post(signerApiPaths.lookup, async (context) => {
    const email = requireEmail((await readMethod(context.req.raw, lookupSchema)).email)
    const { organizationId, hidesAccounts } = context.get('project')
    const user = hidesAccounts ? null : await findUserByEmail(db, { parentOrgId: organizationId, email })
    return context.json({ orgId: user?.verified ? user.orgId : null } satisfies LookupResponse)
  })

  /**
   * Creates a sub-organization with a wallet. A sign-up by e-mail sends the first link and can be repeated, since an
   * e-mail address has only one sub-organization. A sign-up by passkey returns the new user, who may sign in
   * immediately. The page's e-mail address is unproven then (see docs/design/passkeys.md), so it is not stored, looked
   * up or used.
   */
  routes.post(signerApiPaths.signup, async (context) => {
    const body = await readMethod(context.req.raw, signupSchema)
    const owner = { parentOrgId: context.get('project').organizationId, asker: context.var }
    if ('passkey' in body) {
      const { account, ...user } = await createPasskeyUser(custody, { ...owner, passkey: body.passkey })
      // Includes the statement only on request, since some clients store every member of a response.
      const isAsked = account && body.statement
      const isNamed = body.email !== undefined
      const response = { ...user, ...(isAsked && { account }), ...(isNamed && { notice: addressNotice }) }
      return context.json(response satisfies PasskeySignupResponse)
    }
    const user = await findOrCreateUser({ db, custody }, { ...owner, email: requireEmail(body.email) })
    return context.json(await emailAuth(context, { user, body }))
  })

  /** Mails a sign-in link and a code to an existing user, or to anyone if accounts are hidden. */
  routes.post(signerApiPaths.auth, async (context) => {
    const body = await readMethod(context.req.raw, emailAuthSchema)
    const email = requireEmail(body.email)
    const { organizationId: parentOrgId, hidesAccounts } = context.get('project')
    const owner = { parentOrgId, asker: context.var, email }
    const user = hidesAccounts
      ? await findOrCreateUser({ db, custody }, owner)
      : await findUserByEmail(db, { parentOrgId, email })
    if (!user)
      throw new ServerError('No user found with this email. Sign up first.', { code: 'NO_USER_FOUND', status: 404 })
    return context.json(await emailAuth(context, { user, body }))
  })

  return routes
}
