import type { MiddlewareHandler } from 'hono'
import type { Db } from '../../store/openStore.ts'
import { authorizeProject } from '../../store/projects/authorizeProject.ts'
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
    const origin = context.req.header('origin')
    const project = await authorizeProject({
      find: (apiKey) => findProjectByApiKey(db, apiKey),
      authorization: context.req.header('authorization'),
      origin,
      hint: 'Send it as "Authorization: Bearer <api key>".',
    })
    context.set('project', project)
    context.set('origin', origin)
    await next()
  }
}
