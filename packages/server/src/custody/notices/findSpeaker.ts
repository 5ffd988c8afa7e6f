import type { Project } from '../../store/projects/project.ts'
import type { CustodyContext } from '../deps.ts'
import { trustedProjects } from '../organizations/trustedProjects.ts'

/** The only project of a parent organization, which speaks in its mails; undefined when there are several. */
export function findSpeaker(
  context: Pick<CustodyContext, 'projects' | 'rootOrganizationId'>,
  rootOrgId: string,
): Project | undefined {
  const projects = trustedProjects(context, rootOrgId)
  return projects.length === 1 ? projects[0] : undefined
}
