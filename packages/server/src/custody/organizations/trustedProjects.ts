import type { Selectable } from 'kysely'
import type { Db } from '../../store/openStore.ts'
import { type Project, toProject } from '../../store/projects/project.ts'
import { toProjectRow, type upsertProject } from '../../store/projects/upsertProject.ts'
import type { ProjectTable } from '../../store/tables.ts'
import type { CustodyContext } from '../deps.ts'
import { isSameMac, rowMac } from '../rowMac.ts'

type Identity = Pick<Selectable<ProjectTable>, 'id' | 'redirect_urls' | 'allowed_origins' | 'organization_id'>

/** Puts the projects of custody's own configuration under its MAC. A row that says otherwise will not match it. */
export async function signProjects(
  macKey: Uint8Array,
  db: Db,
  projects: readonly upsertProject.Parameters[],
): Promise<void> {
  for (const project of projects) {
    const mac = projectMac(macKey, { id: project.id, ...toProjectRow(project) })
    await db.updateTable('projects').set({ mac }).where('id', '=', project.id).execute()
  }
}

/**
 * The projects whose origins and links custody trusts: those that its configuration named; with `rootOrgId`, those of that
 * parent organization.
 */
export async function listTrustedProjects(
  context: Pick<CustodyContext, 'macKey' | 'logger' | 'rootOrganizationId'>,
  db: Db,
  { rootOrgId }: listTrustedProjects.Parameters = {},
): Promise<Project[]> {
  const rows = await db.selectFrom('projects').selectAll().orderBy('id').execute()
  return rows
    .filter((row) => {
      if (isSameMac(projectMac(context.macKey, row), row.mac)) return true
      context.logger.error({ projectId: row.id }, "A project is not of custody's configuration and is ignored")
      return false
    })
    .map(toProject)
    .filter(
      ({ organizationId }) => rootOrgId === undefined || (organizationId ?? context.rootOrganizationId) === rootOrgId,
    )
}

export declare namespace listTrustedProjects {
  type Parameters = { rootOrgId?: string }
}

/** The origins of {@link listTrustedProjects}, each once. */
export async function listTrustedOrigins(
  context: Pick<CustodyContext, 'macKey' | 'logger' | 'rootOrganizationId'>,
  db: Db,
  parameters?: listTrustedProjects.Parameters,
): Promise<string[]> {
  const projects = await listTrustedProjects(context, db, parameters)
  return [...new Set(projects.flatMap((project) => project.allowedOrigins))]
}

function projectMac(macKey: Uint8Array, row: Identity): Uint8Array {
  return rowMac(macKey, 'projects', [row.id, row.organization_id, row.redirect_urls, row.allowed_origins])
}
