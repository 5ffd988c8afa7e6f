import type { Db } from '../openStore.ts'
import { listProjects } from './listProjects.ts'

/** The allowed origins of all projects, each once. */
export async function listAllowedOrigins(db: Db): Promise<string[]> {
  const projects = await listProjects(db)
  return [...new Set(projects.flatMap((project) => project.allowedOrigins))]
}
