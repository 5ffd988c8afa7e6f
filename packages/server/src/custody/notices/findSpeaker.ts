import type { Db } from '../../store/openStore.ts'
import type { Project } from '../../store/projects/project.ts'
import type { CustodyContext } from '../deps.ts'
import { listTrustedProjects } from '../organizations/trustedProjects.ts'

/** The only project of a parent organization, which speaks in its mails; undefined when there are several. */
export async function findSpeaker(
  context: Pick<CustodyContext, 'macKey' | 'logger' | 'rootOrganizationId'>,
  db: Db,
  { rootOrgId }: { rootOrgId: string },
): Promise<Project | undefined> {
  const projects = await listTrustedProjects(context, db, { rootOrgId })
  return projects.length === 1 ? projects[0] : undefined
}
