import type { Route } from './defineRoute.ts'
import { apiKeyRoutes } from './routes/apiKeyRoutes.ts'
import { chainRoutes } from './routes/chainRoutes.ts'
import { healthRoutes } from './routes/healthRoutes.ts'
import { mailRoutes } from './routes/mailRoutes.ts'
import { operationRoutes } from './routes/operationRoutes.ts'
import { operatorRoutes } from './routes/operatorRoutes.ts'
import { overviewRoutes } from './routes/overviewRoutes.ts'
import { policyRoutes } from './routes/policyRoutes.ts'
import { projectRoutes } from './routes/projectRoutes.ts'
import { securityEventRoutes } from './routes/securityEventRoutes.ts'
import { spendRoutes } from './routes/spendRoutes.ts'
import { userActivityRoutes } from './routes/userActivityRoutes.ts'
import { userRoutes } from './routes/userRoutes.ts'
import { webhookRoutes } from './routes/webhookRoutes.ts'

/** All calls of the admin API. The OpenAPI document, role checks and log all use this list. */
export const routes: readonly Route[] = [
  ...overviewRoutes,
  ...projectRoutes,
  ...apiKeyRoutes,
  ...policyRoutes,
  ...spendRoutes,
  ...operationRoutes,
  ...userRoutes,
  ...userActivityRoutes,
  ...chainRoutes,
  ...webhookRoutes,
  ...mailRoutes,
  ...healthRoutes,
  ...securityEventRoutes,
  ...operatorRoutes,
]
