import { sql } from 'kysely'
import type { Db } from '../openStore.ts'
import { type Project, toProject } from './project.ts'

/** The project that allows an origin, or null when none or more than one does: then only the API key tells. */
export async function findProjectByOrigin(db: Db, origin: string): Promise<Project | null> {
  const rows = await db
    .selectFrom('projects')
    .selectAll()
    .where(sql<boolean>`${origin} = any(allowed_origins)`)
    .limit(2)
    .execute()
  return rows[0] && rows.length === 1 ? toProject(rows[0]) : null
}
