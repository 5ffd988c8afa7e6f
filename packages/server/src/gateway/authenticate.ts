import type { Context } from 'hono'
import { authorizeProject, type createProjectFinder } from '../store/authorizeProject.ts'
import { hashApiKey, type Project } from '../store/projects.ts'

/** How long a key goes on working after it was removed. */
const cacheMs = 5_000
const maxEntries = 1_000

type Find = createProjectFinder.ReturnType

/**
 * The project of the API key in the path, or of the bearer header; its page's origin must be registered.
 *
 * @throws `UNAUTHENTICATED` (401), `ORIGIN_NOT_ALLOWED` (403).
 */
export function authenticate(context: Context, find: Find): Promise<Project> {
  return authorizeProject({
    find,
    apiKey: context.req.param('apiKey'),
    authorization: context.req.header('authorization'),
    origin: context.req.header('origin'),
    hint: 'Send it in the path (/v2/{apiKey}) or as bearer.',
  })
}

/**
 * The same finder with a cache of five seconds: JSON-RPC calls come in bursts. Unknown keys are not cached, so guessing
 * cannot fill the memory.
 */
export function cacheProjects(find: Find, now: () => number = Date.now): Find {
  const known = new Map<string, { project: Project; until: number }>()
  return async (token) => {
    const digest = Buffer.from(hashApiKey(token)).toString('base64')
    const entry = known.get(digest)
    if (entry && entry.until > now()) return entry.project
    known.delete(digest)
    const project = await find(token)
    if (!project) return null
    if (known.size >= maxEntries) known.clear()
    known.set(digest, { project, until: now() + cacheMs })
    return project
  }
}
