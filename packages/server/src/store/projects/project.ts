import type { Selectable } from 'kysely'
import type { ProjectTable } from '../tables.ts'

/** An application that may use the server, known by its API key. */
export type Project = { id: string; name: string; redirectUrls: string[]; allowedOrigins: string[] }

export function toProject(row: Selectable<ProjectTable>): Project {
  return { id: row.id, name: row.name, redirectUrls: row.redirect_urls, allowedOrigins: row.allowed_origins }
}
