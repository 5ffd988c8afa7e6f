import type { MiddlewareHandler } from 'hono'
import type { RequestIdVariables } from 'hono/request-id'
import { authorizeProject, type createProjectFinder } from '../../store/authorizeProject.ts'
import type { Project } from '../../store/projects.ts'

/** What the routes find in the Hono context: the caller's project and its page's origin, if it is a page. */
export type Caller = {
  Variables: RequestIdVariables & {
    /** With the parent organization of its users. */
    project: CallerProject
    origin: string | undefined
    /** Address of the client as a key for limits, if it is known. */
    clientIp: string | undefined
  }
}

export type CallerProject = Project & { organizationId: string }

export declare namespace requireProject {
  type Deps = { findProject: createProjectFinder.ReturnType; rootOrganizationId: string }
}

/**
 * Lets in who shows a project's API key, or a token of one of its issuers, as bearer. A page must also be on one of the
 * project's origins; callers without an `Origin` header are not browsers.
 */
export function requireProject(deps: requireProject.Deps): MiddlewareHandler<Caller> {
  return async (context, next) => {
    const origin = context.req.header('origin')
    const project = await authorizeProject({
      find: deps.findProject,
      authorization: context.req.header('authorization'),
      origin,
      hint: 'Send it as "Authorization: Bearer <api key>".',
    })
    context.set('project', { ...project, organizationId: project.organizationId ?? deps.rootOrganizationId })
    context.set('origin', origin)
    await next()
  }
}
