import { hashApiKey, type Project } from '../../store/projects.ts'

/** How long a key goes on working after it was taken away. */
const cacheMs = 5_000
const maxEntries = 1_000

type Find = (token: string) => Promise<Project | null>

/**
 * The same finder, but what it found is remembered for five seconds: JSON-RPC calls come in bursts. Unknown keys are not
 * remembered, so guessing cannot fill the memory.
 */
export function rememberProjects(find: Find, now: () => number = Date.now): Find {
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
