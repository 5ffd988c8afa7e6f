import type { MiddlewareHandler } from 'hono'
import type { RequestIdVariables } from 'hono/request-id'
import { authorizeProject, type createProjectFinder } from '../store/authorizeProject.ts'
import type { Project } from '../store/projects.ts'

/** Context variables that the middleware sets for routes. */
export type Caller = {
  Variables: RequestIdVariables & {
    project: CallerProject
    /** Client IP address as a key for limits, if known. */
    clientIp: string | undefined
  }
}

/** The project with its users' parent organization. */
export type CallerProject = Project & { organizationId: string }

export declare namespace requireProject {
  type Deps = { findProject: createProjectFinder.ReturnType; rootOrganizationId: string }
}

/**
 * Authenticates the project by a bearer token: its API key or a token of one of its issuers. A page must also be on one
 * of the project's origins; callers without an `Origin` header are not browsers.
 *
 * @throws `UNAUTHENTICATED` (401), `ORIGIN_NOT_ALLOWED` (403).
 */
export function requireProject(deps: requireProject.Deps): MiddlewareHandler<Caller> {
  return async (context, next) => {
    const project = await authorizeProject({
      find: deps.findProject,
      authorization: context.req.header('authorization'),
      origin: context.req.header('origin'),
      hint: 'Send it as "Authorization: Bearer <api key>".',
    })
    context.set('project', { ...project, organizationId: project.organizationId ?? deps.rootOrganizationId })
    await next()
  }
}
