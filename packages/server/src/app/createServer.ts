import { toServerError } from '../http/errorResponse.ts'
import { ServerError } from '../http/ServerError.ts'
import { listPendingMigrations, migrate } from '../store/migrate.ts'
import { openStore } from '../store/openStore.ts'
import { upsertProject } from '../store/upsertProject.ts'
import { createLogger } from './createLogger.ts'
import type { Role, ServerOptions } from './options.ts'
import { type App, route } from './route.ts'
import { startRoles } from './startRoles.ts'

/**
 * The server: some or all of its roles behind one `fetch` function. Serve it with `listen`, or hand it to any other
 * HTTP host. `close` stops the mail role and gives the database connections back.
 *
 * @throws ServerError `CONFIG_INVALID` | `DATABASE_UNREACHABLE`
 */
export async function createServer(options: createServer.Options): Promise<createServer.ReturnType> {
  const logger = options.logger ?? createLogger()
  if (options.roles.length === 0)
    throw new ServerError('No role was given. Choose at least one.', { code: 'CONFIG_INVALID', status: 500 })
  if (options.migrate) await migrate(options)
  const store = await openStore({ databaseUrl: options.databaseUrl, logger })
  const closers: (() => Promise<void>)[] = [() => store.close()]
  async function close(): Promise<void> {
    for (const closer of closers.splice(0).reverse()) await closer()
  }
  try {
    if ((await listPendingMigrations(store.db)).length > 0)
      throw new ServerError('The database schema is missing or old. Run `latchkey-server migrate` first.', {
        code: 'CONFIG_INVALID',
        status: 500,
      })
    for (const project of options.projects ?? []) await upsertProject(store.db, project)
    const apps = await startRoles({ options, store, logger, onClose: (closer) => closers.push(closer) })
    return { fetch: serve(apps, (error) => toServerError(error, logger)), close }
  } catch (error) {
    await close()
    throw error
  }
}

export declare namespace createServer {
  type Options = ServerOptions
  type ReturnType = {
    /** `env` holds the connection, as `listen` and `@hono/node-server` give it; without it clients' addresses are unknown. */
    fetch(request: Request, env?: object): Promise<Response>
    close(): Promise<void>
  }
}

function serve(apps: ReadonlyMap<Role, App>, onError: (error: unknown) => ServerError) {
  return async (request: Request, env?: object): Promise<Response> => {
    try {
      return await route(apps, request, env)
    } catch (error) {
      const { code, message, status } = onError(error)
      return Response.json({ code, message }, { status })
    }
  }
}
