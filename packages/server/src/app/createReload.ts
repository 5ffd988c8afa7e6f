import { readProjects } from '../custody/organizations/trustedProjects.ts'
import { ServerError } from '../platform/errors/ServerError.ts'
import { createJwtVerifier } from '../platform/http/createJwtVerifier.ts'
import { describeError } from '../platform/observability/describeError.ts'
import type { Logger } from '../platform/observability/logger.ts'
import { metrics } from '../platform/observability/metrics.ts'
import { readEndpoints } from '../webhooks/readEndpoints.ts'
import { checkPolicies } from './declarePolicies.ts'
import type { ServerOptions } from './options.ts'

/** Options of a running server. Roles read changeable options from `current` at each use and never copy them. */
export type LiveOptions = { current: ServerOptions }

/** Stores changed options in a role's database, before any role reads them. */
export type ReloadStep = (next: ServerOptions) => Promise<void>

export declare namespace createReload {
  type Parameters = {
    live: LiveOptions
    steps: readonly ReloadStep[]
    logger: Logger
  }
  type Reload = {
    /** Reads the changed options. If it throws, the previous options stay in use. */
    read(): ServerOptions | Promise<ServerOptions>
    /** Extra fields of the log line, such as a hash. @default none */
    fields?: Record<string, unknown> | undefined
    /** Whether the same problem was already logged, so that it is not logged again. @default false */
    isRetry?: boolean | undefined
  }
  type ReturnType = {
    /** See `createServer.ReturnType`. */
    reload(options: Reload): Promise<boolean>
    /** Returns the problem of the last reload, or undefined if the latest options are in use. */
    findProblem(): string | undefined
  }
}

/**
 * Creates the reload of a running server: validates the changed options as a whole, stores them in the database for
 * roles that read them there, then replaces them for all roles. Reloads run one after another.
 */
export function createReload({ live, steps, logger }: createReload.Parameters): createReload.ReturnType {
  let problem: string | undefined
  let running: Promise<unknown> = Promise.resolve()
  metrics.configCurrent.set(1)

  async function apply({ read, fields = {}, isRetry = false }: createReload.Reload): Promise<boolean> {
    try {
      const next = merge(live.current, await read())
      checkOptions(next)
      for (const step of steps) await step(next)
      live.current = next
      problem = undefined
      metrics.configReloads.inc({ outcome: 'applied' })
      metrics.configCurrent.set(1)
      logger.info(fields, 'The changed configuration is in use')
      return true
    } catch (error) {
      const text = error instanceof ServerError ? error.message : (describeError(error)?.split('\n', 1)[0] ?? 'unknown')
      if (!isRetry || text !== problem) {
        metrics.configReloads.inc({ outcome: 'refused' })
        logger.error(
          { ...fields, problem: text },
          'The changed configuration was refused; the previous one stays in use',
        )
      }
      problem = text
      metrics.configCurrent.set(0)
      return false
    }
  }

  return {
    reload(options) {
      const result = running.then(() => apply(options))
      running = result
      return result
    },
    findProblem: () => problem,
  }
}

function merge(current: ServerOptions, next: ServerOptions): ServerOptions {
  const { gateway, webhooks, admin, console } = current
  return {
    ...current,
    projects: next.projects,
    jwt: next.jwt,
    gateway: gateway && { ...gateway, policies: next.gateway?.policies },
    webhooks: webhooks && { ...webhooks, secrets: next.webhooks?.secrets ?? {} },
    admin: admin && { ...admin, tryProject: next.admin?.tryProject },
    console: console && { ...console, operators: next.console?.operators },
  }
}

function checkOptions({ projects = [], jwt = [], gateway, webhooks }: ServerOptions): void {
  readProjects(projects)
  createJwtVerifier(jwt)
  if (gateway) checkPolicies({ ...gateway, projects })
  if (webhooks) readEndpoints({ projects, secrets: webhooks.secrets, mode: webhooks.mode ?? 'production' })
}
