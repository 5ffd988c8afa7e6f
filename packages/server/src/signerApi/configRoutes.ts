import { Hono, type MiddlewareHandler } from 'hono'
import { frameProjectParameter, type PublicConfig } from 'latchkey-protocol'
import type { Db } from '../platform/database/openStore.ts'
import { clientHeaders, cors } from '../platform/http/cors.ts'
import { type ConfiguredAccess, isServed, readBearer } from '../store/authorizeProject.ts'
import { findProjectByOrigin, type Project } from '../store/projects.ts'
import type { Caller, requireProject } from './requireProject.ts'

export declare namespace configRoutes {
  type Deps = requireProject.Deps & {
    db: Db
    config: ConfiguredAccess
    /** Limits by client IP address, since the route is public and looks up values sent by callers. */
    limit: MiddlewareHandler<Caller>
    /** URLs for browsers. */
    urls: { custody: string; authFrame: string; exportFrame: string; importFrame: string }
  }
}

/**
 * Serves `GET /v1/config`: a client's settings for this server. Public for any origin, since it contains no secret.
 * Uses the project of the caller's key, or else the only project that allows its origin, or else the common settings.
 */
export function configRoutes(deps: configRoutes.Deps): Hono<Caller> {
  const app = new Hono<Caller>()
  app.use('*', cors({ isAllowed: 'any', allowHeaders: clientHeaders, allowMethods: ['GET'] }))
  app.use('*', deps.limit)
  app.get('/', async ({ req, json }) => {
    const token = readBearer(req.header('authorization'))
    const origin = req.header('origin')
    const project =
      (token && (await deps.findProject(token))) || (origin ? await findProjectByOrigin(deps.db, origin) : null)
    const served = project && isServed(deps.config, project) ? project : null
    return json(toConfig(deps, served), 200, { 'cache-control': 'no-cache', vary: 'Authorization' })
  })
  return app
}

/** Frame URLs contain the project's id, so that each frame accepts only that project's pages. */
function toConfig({ urls, rootOrganizationId }: configRoutes.Deps, project: Project | null): PublicConfig {
  const frame = (text: string) => {
    const url = new URL(text)
    if (project) url.searchParams.set(frameProjectParameter, project.id)
    return project ? url.href : text
  }
  return {
    custodyUrl: urls.custody,
    authFrameUrl: frame(urls.authFrame),
    exportFrameUrl: frame(urls.exportFrame),
    importFrameUrl: frame(urls.importFrame),
    rootOrgId: project?.organizationId ?? rootOrganizationId,
    ...(project && { projectId: project.id }),
    boundQueries: true,
    readsPayloads: true,
  }
}
