import type { Db } from '../openStore.ts'
import { listProjects } from './listProjects.ts'

/** The allowed origins of all projects, or of those of one parent organization, each once. */
export async function listAllowedOrigins(db: Db, parent?: listProjects.Parent): Promise<string[]> {
  const projects = await listProjects(db, parent)
  return [...new Set(projects.flatMap((project) => project.allowedOrigins))]
}
