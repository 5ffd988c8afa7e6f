import { Hono } from 'hono'
import type { PublicConfig } from 'latchkey/wire'
import { cors } from '../../http/cors.ts'
import { clientHeaders } from '../access/clientHeaders.ts'

export declare namespace configRoutes {
  type Deps = {
    rootOrganizationId: string
    /** As browsers reach them. */
    urls: { custody: string; authFrame: string; exportFrame: string; importFrame: string }
  }
}

/** `GET /v1/config`: what a client needs to know of this server. Public, for any origin: it holds no secret. */
export function configRoutes({ rootOrganizationId, urls }: configRoutes.Deps): Hono {
  const config: PublicConfig = {
    custodyUrl: urls.custody,
    authFrameUrl: urls.authFrame,
    exportFrameUrl: urls.exportFrame,
    importFrameUrl: urls.importFrame,
    rootOrgId: rootOrganizationId,
  }
  const app = new Hono()
  app.use('*', cors({ isAllowed: 'any', allowHeaders: clientHeaders, allowMethods: ['GET'] }))
  app.get('/', (context) => context.json(config, 200, { 'cache-control': 'no-cache' }))
  return app
}
