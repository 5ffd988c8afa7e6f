import type { Selectable } from 'kysely'
import type { ProjectTable } from '../tables.ts'

/** An application that may use the server, known by its API key. */
export type Project = {
  id: string
  name: string
  redirectUrls: string[]
  allowedOrigins: string[]
  /** Parent organization of its users; null: the server's root organization. */
  organizationId: string | null
  /** https, shown in mails. */
  logoUrl: string | null
}

export function toProject(row: Omit<Selectable<ProjectTable>, 'api_key_hash' | 'created_at' | 'updated_at'>): Project {
  return {
    id: row.id,
    name: row.name,
    redirectUrls: row.redirect_urls,
    allowedOrigins: row.allowed_origins,
    organizationId: row.organization_id,
    logoUrl: row.logo_url,
  }
}
