import type { Db } from '../openStore.ts'

/** The allowed origins of all projects, each once. Good for CORS where an API key is asked for besides, and for no more. */
export async function listAllowedOrigins(db: Db): Promise<string[]> {
  const projects = await db.selectFrom('projects').select('allowed_origins').orderBy('id').execute()
  return [...new Set(projects.flatMap((project) => project.allowed_origins))]
}
