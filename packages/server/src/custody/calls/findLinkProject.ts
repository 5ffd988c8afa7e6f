import { landingUrls, type Project } from '../../store/projects.ts'
import { custodyError } from '../custodyError.ts'
import type { CustodyContext } from '../deps.ts'
import { trustedProjects } from '../organizations/trustedProjects.ts'

/**
 * Finds the project of a parent organization whose registered redirect URL a link template leads to: same origin and
 * path, with every query parameter that the registered URL has. The credential goes there and nowhere else.
 *
 * @throws ServerError `REDIRECT_NOT_ALLOWED` | `REQUEST_INVALID` (400)
 */
export function findLinkProject(
  context: Pick<CustodyContext, 'projects' | 'rootOrganizationId'>,
  { template, rootOrgId }: findLinkProject.Parameters,
): Project {
  if (template.split('%s').length !== 2 || !/^[^?#]*\?[^#]*%s[^#]*$/.test(template))
    throw custodyError('REQUEST_INVALID', 'magicLinkTemplate must hold %s once, in its query, for the bundle.')
  const link = URL.canParse(template) && !/[\s\p{Cc}\\]/u.test(template) ? new URL(template) : undefined
  const projects = link ? trustedProjects(context, rootOrgId) : []
  const project = projects.find((candidate) => landingUrls(candidate).some((url) => leadsTo(link, new URL(url))))
  if (project) return project
  throw custodyError(
    'REDIRECT_NOT_ALLOWED',
    'magicLinkTemplate does not lead to a redirect URL that is registered. Register it with the project first.',
  )
}

export declare namespace findLinkProject {
  type Parameters = {
    /** URL with `%s` for the bundle. */
    template: string
    /** Parent organization of the one who gets the mail. */
    rootOrgId: string
  }
}

function leadsTo(link: URL | undefined, registered: URL): boolean {
  if (!link || link.username || link.password) return false
  if (link.origin !== registered.origin || link.pathname !== registered.pathname) return false
  return [...registered.searchParams].every(([name, value]) => link.searchParams.getAll(name).includes(value))
}
