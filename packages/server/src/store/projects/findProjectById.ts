import type { Db } from '../openStore.ts'
import { type Project, toProject } from './project.ts'

/** The project of an id, or null. */
export async function findProjectById(db: Db, id: string): Promise<Project | null> {
  const row = await db.selectFrom('projects').selectAll().where('id', '=', id).executeTakeFirst()
  return row ? toProject(row) : null
}
