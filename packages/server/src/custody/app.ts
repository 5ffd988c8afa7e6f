import { Hono } from 'hono'
import { custodyPaths, headers } from 'latchkey/wire'
import { cors } from '../http/cors.ts'
import { readBody } from '../http/readBody.ts'
import { ServerError } from '../http/ServerError.ts'
import { toServerError } from '../http/toServerError.ts'
import { originCheck } from '../store/projects/originCheck.ts'
import type { ActivityDefinition } from './activities/definition.ts'
import { submitActivity } from './activities/submitActivity.ts'
import { createAuthenticators } from './calls/createAuthenticators.ts'
import { createSubOrganization } from './calls/createSubOrganization.ts'
import { emailAuth } from './calls/emailAuth.ts'
import { exportWallet } from './calls/exportWallet.ts'
import { exportWalletAccount } from './calls/exportWalletAccount.ts'
import { getActivity } from './calls/getActivity.ts'
import { listWalletAccounts } from './calls/listWalletAccounts.ts'
import { listWallets } from './calls/listWallets.ts'
import { signRawPayload } from './calls/signRawPayload.ts'
import { whoami } from './calls/whoami.ts'
import { custodyErrorBody } from './custodyError.ts'
import type { CustodyContext, CustodyDeps } from './deps.ts'
import { ensureRoot } from './organizations/ensureRoot.ts'

const maxBodyBytes = 65_536
const hourMs = 3_600_000

type Request = { headers: Headers; body: Uint8Array }

const queries: Record<string, (context: CustodyContext, request: Request) => Promise<object>> = {
  [custodyPaths.whoami]: whoami,
  [custodyPaths.getActivity]: getActivity,
  [custodyPaths.listWallets]: listWallets,
  [custodyPaths.listWalletAccounts]: listWalletAccounts,
}
const activities: Record<string, ActivityDefinition> = {
  [custodyPaths.createSubOrganization]: createSubOrganization,
  [custodyPaths.emailAuth]: emailAuth,
  [custodyPaths.signRawPayload]: signRawPayload,
  [custodyPaths.createAuthenticators]: createAuthenticators,
  [custodyPaths.exportWallet]: exportWallet,
  [custodyPaths.exportWalletAccount]: exportWalletAccount,
}

/**
 * The custody API: `POST /public/v1/query/*` and `/public/v1/submit/*`. Any content type is accepted, since a stamp
 * covers the bytes. Makes sure of the parent organization before it answers.
 */
export async function custodyApp(deps: CustodyDeps): Promise<Hono> {
  const context: CustodyContext = {
    ...deps,
    allowedSkewMs: deps.allowedSkewMs ?? { past: hourMs, future: hourMs / 12 },
    now: deps.now ?? Date.now,
    macKey: await ensureRoot(deps),
  }
  const app = new Hono()
  app.onError((error, { req }) => {
    const known = toServerError(error, deps.logger, { path: req.path })
    return Response.json(custodyErrorBody(known), { status: known.status })
  })
  app.use(
    '/public/*',
    cors({
      isAllowed: originCheck(deps.db),
      allowHeaders: [headers.apiKeyStamp, headers.webauthnStamp, headers.clientVersion, 'Content-Type'],
    }),
  )
  for (const [path, query] of Object.entries(queries))
    app.post(path, async ({ req }) => Response.json(await query(context, await capture(req.raw))))
  for (const [path, definition] of Object.entries(activities))
    app.post(path, async ({ req }) => Response.json(await submitActivity(context, definition, await capture(req.raw))))
  app.all('*', ({ req }) => {
    throw unsupported(req.method, req.path)
  })
  return app
}

async function capture(request: globalThis.Request): Promise<Request> {
  return { headers: request.headers, body: await readBody(request, { maxBytes: maxBodyBytes }) }
}

function unsupported(method: string, path: string): ServerError {
  const known = [...Object.keys(queries), ...Object.keys(activities)]
  const call = path.replace(/^\/public\/v1\/(?:query|submit)\//, '').slice(0, 100)
  if (known.includes(path))
    return new ServerError(`${call} is called by POST, not by ${method}.`, {
      code: 'METHOD_NOT_SUPPORTED',
      status: 405,
    })
  const names = known.map((name) => name.slice(name.lastIndexOf('/') + 1)).join(', ')
  return new ServerError(`The call ${JSON.stringify(call)} is not supported by this server. It supports ${names}.`, {
    code: 'METHOD_NOT_SUPPORTED',
    status: 404,
  })
}
