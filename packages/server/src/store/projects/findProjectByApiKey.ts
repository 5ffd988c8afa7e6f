import type { Db } from '../openStore.ts'
import { hashApiKey } from './hashApiKey.ts'
import { type Project, toProject } from './project.ts'

/** The project an API key belongs to, or null. Looked up by digest, so timing tells nothing of the key. */
export async function findProjectByApiKey(db: Db, apiKey: string): Promise<Project | null> {
  const row = await db
    .selectFrom('projects')
    .selectAll()
    .where('api_key_hash', '=', hashApiKey(apiKey))
    .executeTakeFirst()
  return row ? toProject(row) : null
}
