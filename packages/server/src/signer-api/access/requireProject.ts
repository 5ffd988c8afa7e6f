import type { MiddlewareHandler } from 'hono'
import { ServerError } from '../../http/ServerError.ts'
import type { Db } from '../../store/openStore.ts'
import { findProjectByApiKey } from '../../store/projects/findProjectByApiKey.ts'
import type { Project } from '../../store/projects/project.ts'

/** What the routes find in the Hono context: the caller's project and its page's origin, if it is a page. */
export type Caller = { Variables: { project: Project; origin: string | undefined } }

/**
 * Lets in who shows a project's API key as bearer. A page must also be on one of the project's origins; callers
 * without an `Origin` header are not browsers.
 */
export function requireProject(db: Db): MiddlewareHandler<Caller> {
  return async (context, next) => {
    const apiKey = /^Bearer ([^\s]{1,512})$/i.exec(context.req.header('authorization') ?? '')?.[1]
    const project = apiKey ? await findProjectByApiKey(db, apiKey) : null
    if (!project)
      throw new ServerError('The API key is missing or unknown. Send it as "Authorization: Bearer <api key>".', {
        code: 'UNAUTHENTICATED',
        status: 401,
      })
    const origin = context.req.header('origin')
    if (origin !== undefined && !project.allowedOrigins.includes(origin))
      throw new ServerError(`The origin ${origin.slice(0, 128)} is not registered for this API key.`, {
        code: 'ORIGIN_NOT_ALLOWED',
        status: 403,
      })
    context.set('project', project)
    context.set('origin', origin)
    await next()
  }
}
