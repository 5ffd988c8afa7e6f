import type { Db } from '../../store/openStore.ts'
import { findProjectByApiKey } from '../../store/projects/findProjectByApiKey.ts'
import { hashApiKey } from '../../store/projects/hashApiKey.ts'
import type { Project } from '../../store/projects/project.ts'

/** How long a key goes on working after it was taken away. */
const cacheMs = 5_000
const maxEntries = 1_000

export declare namespace createProjectFinder {
  type ReturnType = (apiKey: string) => Promise<Project | null>
}

/**
 * The project of an API key, remembered for five seconds: JSON-RPC calls come in bursts. Unknown keys are not
 * remembered, so guessing cannot fill the memory.
 */
export function createProjectFinder(db: Db, now: () => number = Date.now): createProjectFinder.ReturnType {
  const known = new Map<string, { project: Project; until: number }>()
  return async (apiKey) => {
    const digest = Buffer.from(hashApiKey(apiKey)).toString('base64')
    const entry = known.get(digest)
    if (entry && entry.until > now()) return entry.project
    known.delete(digest)
    const project = await findProjectByApiKey(db, apiKey)
    if (!project) return null
    if (known.size >= maxEntries) known.clear()
    known.set(digest, { project, until: now() + cacheMs })
    return project
  }
}
