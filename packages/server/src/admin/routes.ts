import type { Route } from './defineRoute.ts'
import { apiKeyRoutes } from './routes/apiKeys.ts'
import { healthRoutes } from './routes/health.ts'
import { mailRoutes } from './routes/mails.ts'
import { operationRoutes } from './routes/operations.ts'
import { operatorRoutes } from './routes/operators.ts'
import { overviewRoutes } from './routes/overview.ts'
import { policyRoutes } from './routes/policies.ts'
import { projectRoutes } from './routes/projects.ts'
import { securityEventRoutes } from './routes/securityEvents.ts'
import { spendRoutes } from './routes/spend.ts'
import { userActivityRoutes } from './routes/userActivities.ts'
import { userRoutes } from './routes/users.ts'
import { webhookRoutes } from './routes/webhooks.ts'

/** Every call of the admin API. The OpenAPI document, the checks of roles and the log are made from this list. */
export const routes: readonly Route[] = [
  ...overviewRoutes,
  ...projectRoutes,
  ...apiKeyRoutes,
  ...policyRoutes,
  ...spendRoutes,
  ...operationRoutes,
  ...userRoutes,
  ...userActivityRoutes,
  ...webhookRoutes,
  ...mailRoutes,
  ...healthRoutes,
  ...securityEventRoutes,
  ...operatorRoutes,
]
