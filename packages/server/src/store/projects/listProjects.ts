import type { Db } from '../openStore.ts'
import { type Project, toProject } from './project.ts'

/** Every project, by id. */
export async function listProjects(db: Db): Promise<Project[]> {
  const rows = await db.selectFrom('projects').selectAll().orderBy('id').execute()
  return rows.map(toProject)
}
