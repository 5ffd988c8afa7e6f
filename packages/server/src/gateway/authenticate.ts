import type { Context } from 'hono'
import { errorCodes } from 'latchkey-protocol'
import { ServerError } from '../platform/errors/ServerError.ts'
import {
  authorizeProject,
  type ConfiguredAccess,
  type createProjectFinder,
  type ProjectAccess,
} from '../store/authorizeProject.ts'
import { hashApiKey } from '../store/projects.ts'
import { RpcError, rpcCodes } from './rpc/RpcError.ts'

/** Milliseconds for which a removed key may still work. */
const cacheMs = 5_000
const maxEntries = 1_000

type Find = createProjectFinder.ReturnType

/**
 * Returns the project of the API key in the path or in the bearer header. The page's `origin` must be registered.
 * @throws `UNAUTHENTICATED` (401), `ORIGIN_NOT_ALLOWED` (403).
 */
export function authenticate(
  context: Context,
  find: Find,
  { origin }: { origin: string | undefined },
): Promise<ProjectAccess> {
  return authorizeProject({
    find,
    apiKey: context.req.param('apiKey'),
    authorization: context.req.header('authorization'),
    origin,
    hint: 'Send it in the path (/v2/{apiKey}) or as bearer.',
  })
}

/**
 * Refuses a chain that the key is not allowed to use.
 *
 * @throws `API_KEY_NOT_ALLOWED` (403).
 */
export function requireChain({ key }: ProjectAccess, chainId: number): void {
  if (!key?.chains || key.chains.includes(chainId)) return
  throw new ServerError(
    `This API key is not for the chain ${chainId}, only for: ${key.chains.join(', ') || 'none'}. Use another key.`,
    { code: errorCodes.API_KEY_NOT_ALLOWED, status: 403 },
  )
}

/**
 * Requires a server key, since only servers may read data of the whole project. A project's first key and keys with
 * origins are for pages, which publish them. @throws `API_KEY_NOT_ALLOWED` (403).
 */
export function requireServerKey({ key }: ProjectAccess): void {
  if (key?.origins?.length === 0 && !key.chains && !key.methods) return
  throw new ServerError(
    'Only an API key for servers reads a whole project: one for no origins and for all chains and methods. Create it in the console with `none` as its origins, and keep it on your server.',
    { code: errorCodes.API_KEY_NOT_ALLOWED, status: 403 },
  )
}

/**
 * Refuses a method that the key is not allowed to call.
 *
 * @throws `API_KEY_NOT_ALLOWED`.
 */
export function requireMethod(methods: readonly string[] | null | undefined, method: string): void {
  const isAllowed = (pattern: string) =>
    pattern.endsWith('*') ? method.startsWith(pattern.slice(0, -1)) : method === pattern
  if (!methods || methods.some(isAllowed)) return
  throw new RpcError(`This API key is not for the method ${JSON.stringify(method)}. Use another key.`, {
    code: errorCodes.API_KEY_NOT_ALLOWED,
    rpcCode: rpcCodes.invalidRequest,
    data: { method },
  })
}

/**
 * Wraps a finder in a cache of five seconds, since JSON-RPC calls come in bursts. Unknown keys are not cached, so
 * guessing keys cannot fill the memory. A changed configuration empties the cache.
 */
export function cacheProjects(
  find: Find,
  { config = {}, now = () => performance.now() }: { config?: ConfiguredAccess; now?: () => number } = {},
): Find {
  let known = new Map<string, { project: ProjectAccess; until: number }>()
  let { projects, jwt } = config
  return async (token) => {
    if (projects !== config.projects || jwt !== config.jwt) {
      known = new Map()
      ;({ projects, jwt } = config)
    }
    // A look-up that began before a configuration change must not be cached after it.
    const cache = known
    const digest = Buffer.from(hashApiKey(token)).toString('base64')
    const entry = cache.get(digest)
    if (entry && entry.until > now()) return entry.project
    cache.delete(digest)
    const project = await find(token)
    if (!project) return null
    if (cache.size >= maxEntries) cache.clear()
    cache.set(digest, { project, until: now() + cacheMs })
    return project
  }
}
