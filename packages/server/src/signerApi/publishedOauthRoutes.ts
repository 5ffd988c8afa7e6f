import { createHash } from 'node:crypto'
import { type Context, Hono } from 'hono'
import { linkParameters, oauthPaths } from 'latchkey-protocol'
import { z } from 'zod'
import type { Db } from '../platform/database/openStore.ts'
import { ServerError } from '../platform/errors/ServerError.ts'
import { parseUrl } from '../platform/http/parseUrl.ts'
import type { Logger } from '../platform/observability/logger.ts'
import { findProjectById } from '../store/projects.ts'
import { targetPublicKeySchema } from './createEmailAuth.ts'
import type { createFactorStep } from './createFactorStep.ts'
import type { createOauthRequests } from './createOauthRequests.ts'
import type { CustodyClient } from './custodyClient.ts'
import type { Caller } from './requireProject.ts'
import { signInByToken } from './signInByToken.ts'

export declare namespace publishedOauthRoutes {
  type Deps = {
    db: Db
    custody: CustodyClient
    requests: ReturnType<typeof createOauthRequests>
    factorStep: createFactorStep.ReturnType
    rootOrganizationId: string
    logger: Logger
  }
}

/** `state` of Account Kit 4.88.5: base64url of this JSON. */
const stateSchema = z.object({
  authProviderId: z.string().max(64),
  requestKey: z.string().max(1024),
  turnkeyPublicKey: targetPublicKeySchema,
  expirationSeconds: z.number().positive().max(9_999_999_999).optional(),
  /** Page of the app to return to, if the app left its page. */
  redirectUrl: z.string().max(2048).optional(),
  /** Origin of the app's page, if it opened a window. */
  openerOrigin: z.string().max(255).optional(),
  fetchIdTokenOnly: z.boolean().optional(),
})
type State = z.output<typeof stateSchema>

/** Message to the app's page, and its parameters in the URL of a redirect. */
type Message = {
  alchemyStatus?: 'SUCCESS' | 'FETCHED_ID_TOKEN_ONLY'
  alchemyBundle?: string
  alchemyOrgId?: string
  alchemyIdToken?: string
  alchemyIsSignup?: boolean
  alchemyAuthProvider?: string
  alchemyError?: string
}

/**
 * Adds the page to which providers return if Account Kit 4 sent the user: it redeems the code, and hands the session to
 * the app's page by a message or a redirect. Only pages on the project's origins get it, and only the frame whose key
 * is in the token can open it. Serves only providers with a `publishedCallbackUrl`.
 */
export function publishedOauthRoutes(deps: publishedOauthRoutes.Deps): Hono<Caller> {
  const routes = new Hono<Caller>()
  routes.get(oauthPaths.publishedCallback, async (context) => {
    const state = readState(context.req.query('state'))
    const request = state && openRequest(deps, state)
    const project = request && (await findProjectById(deps.db, request.projectId))
    const origin = state && project && findOrigin(state, project.allowedOrigins)
    if (!origin || !state)
      return page(context, { text: 'This sign-in has expired. Go back to the app and start again.' })
    context.set('project', { ...project, organizationId: project.organizationId ?? deps.rootOrganizationId })
    const message = await answer(deps, context, state).catch((error: unknown): Message => {
      if (!(error instanceof ServerError) || error.status >= 500)
        deps.logger.error({ error, requestId: context.var.requestId }, 'A sign-in by an identity provider failed')
      return { alchemyError: error instanceof ServerError ? error.message : 'The sign-in failed. Try again.' }
    })
    if (state.redirectUrl !== undefined) return context.redirect(toRedirect(state.redirectUrl, message), 302)
    return page(context, { message, origin, text: 'You can close this window and go back to the app.' })
  })
  return routes
}

function readState(text = ''): State | undefined {
  try {
    return stateSchema.safeParse(JSON.parse(Buffer.from(text, 'base64url').toString())).data
  } catch {
    return undefined
  }
}

function openRequest({ requests }: publishedOauthRoutes.Deps, { requestKey }: State) {
  try {
    return requests.open(requestKey)
  } catch {
    return undefined
  }
}

/** Returns the origin of the page that gets the session, if the project allows it. */
function findOrigin({ redirectUrl, openerOrigin }: State, allowed: readonly string[]): string | undefined {
  const url = parseUrl(redirectUrl ?? openerOrigin ?? '')
  return url && /^https?:$/.test(url.protocol) && allowed.includes(url.origin) ? url.origin : undefined
}

async function answer(
  { db, custody, requests, factorStep }: publishedOauthRoutes.Deps,
  context: Context<Caller>,
  state: State,
): Promise<Message> {
  const { error, code, iss } = context.req.query()
  if (error !== undefined || code === undefined)
    return {
      alchemyError: error === 'access_denied' ? 'The sign-in was cancelled.' : 'The provider refused the sign-in.',
    }
  const { project } = context.var
  const { provider, token } = await requests.redeem(requests.open(state.requestKey, project.id), {
    providerId: state.authProviderId,
    code,
    iss,
    toCallbackUrl: ({ publishedCallbackUrl }) => publishedCallbackUrl,
  })
  const said = { alchemyIdToken: token, alchemyAuthProvider: provider.id }
  if (state.fetchIdTokenOnly) return { alchemyStatus: 'FETCHED_ID_TOKEN_ONLY', ...said }
  const session = await signInByToken(
    { db, custody, factorStep },
    {
      provider,
      token,
      targetPublicKey: state.turnkeyPublicKey,
      expirationSeconds: state.expirationSeconds,
      linksTo: project.hidesAccounts ? undefined : 'account',
      parentOrgId: project.organizationId,
      project,
      asker: context.var,
    },
  )
  if ('linkEmail' in session) return { alchemyError: 'Sign in by email first, then add the provider.' }
  if ('status' in session) return { alchemyError: 'Sign in by email: your account asks for a second factor.' }
  const { credentialBundle, orgId, isSignUp } = session
  return {
    alchemyStatus: 'SUCCESS',
    alchemyBundle: credentialBundle,
    alchemyOrgId: orgId,
    ...(isSignUp && { alchemyIsSignup: true }),
    ...said,
  }
}

/** Appends the message to the app's URL, in the parameters that Account Kit 4 reads at its start. */
function toRedirect(redirectUrl: string, message: Message): string {
  const url = new URL(redirectUrl)
  const parameters = {
    'alchemy-bundle': message.alchemyBundle,
    'alchemy-org-id': message.alchemyOrgId,
    'alchemy-id-token': message.alchemyIdToken,
    'alchemy-error': message.alchemyError,
    [linkParameters.isSignup]: message.alchemyIsSignup && 'true',
  }
  for (const [name, value] of Object.entries(parameters)) if (value) url.searchParams.set(name, value)
  return url.href
}

const script = `const { message, origin } = JSON.parse(document.querySelector('#data').textContent)
history.replaceState(null, '', location.pathname)
if (message && window.opener) {
  window.opener.postMessage(message, origin)
  window.close()
}`
const scriptHash = createHash('sha256').update(script).digest('base64')

function page(context: Context, { text, ...data }: { text: string; message?: Message; origin?: string }): Response {
  const json = JSON.stringify(data).replaceAll('<', '\\u003c')
  return context.html(
    `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Sign in</title><p role="status">${text}</p><script type="application/json" id="data">${json}</script><script>${script}</script></html>`,
    200,
    {
      'cache-control': 'no-store',
      'content-security-policy': `default-src 'none'; script-src 'sha256-${scriptHash}'; base-uri 'none'; frame-ancestors 'none'`,
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    },
  )
}
