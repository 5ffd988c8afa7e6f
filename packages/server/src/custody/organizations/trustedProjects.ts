import { type Project, toProject } from '../../store/projects.ts'
import { toProjectRow, type upsertProject } from '../../store/upsertProject.ts'
import type { CustodyContext } from '../deps.ts'

type Context = Pick<CustodyContext, 'projects' | 'rootOrganizationId'>

/**
 * The projects of a configuration, checked and normalised.
 *
 * @throws `CONFIG_INVALID`.
 */
export function readProjects(projects: readonly upsertProject.Parameters[] = []): Project[] {
  return projects.map((project) => toProject({ id: project.id, ...toProjectRow(project) }))
}

/**
 * The projects of a parent organization, whose origins and links custody trusts. By configuration alone: writing to the
 * database can neither add one nor bring one back.
 */
export function trustedProjects({ projects, rootOrganizationId }: Context, rootOrgId: string): Project[] {
  return projects.filter(({ organizationId }) => (organizationId ?? rootOrganizationId) === rootOrgId)
}

/** The origins of {@link trustedProjects}. */
export function trustedOrigins(context: Context, rootOrgId: string): string[] {
  return trustedProjects(context, rootOrgId).flatMap(({ allowedOrigins }) => allowedOrigins)
}

/** The project of a parent organization that has only one, under whose name mails are sent. */
export function findOnlyProject(context: Context, rootOrgId: string): Project | undefined {
  const projects = trustedProjects(context, rootOrgId)
  return projects.length === 1 ? projects[0] : undefined
}
