import { linkParameters } from 'latchkey-protocol'
import { parseUrl } from '../../../platform/http/parseUrl.ts'
import { landingUrls } from '../../../store/projects.ts'
import type { TrustedProject } from '../../../store/upsertProject.ts'
import { custodyError } from '../../custodyError.ts'
import type { CustodyContext } from '../../deps.ts'
import { findOnlyProject, trustedProjects } from '../../organizations/trustedProjects.ts'

type Context = Pick<CustodyContext, 'projects' | 'rootOrganizationId'>

export declare namespace chooseSignInLink {
  type Parameters = {
    /** Requested URL with `%s` for the bundle. */
    template: string | undefined
    /** Parent organization of the mail's recipient. */
    rootOrgId: string
  }
  type ReturnType = {
    /** URL with `%s` for the bundle; undefined for a mail with the code alone. */
    template?: string | undefined
    /** The app that the mail is for. */
    project?: TrustedProject | undefined
  }
}

/**
 * The link of a sign-in mail: the requested one; else one to the page of the only project; else none.
 *
 * @throws `REDIRECT_NOT_ALLOWED`, `REQUEST_INVALID`.
 */
export function chooseSignInLink(
  context: Context,
  { template, rootOrgId }: chooseSignInLink.Parameters,
): chooseSignInLink.ReturnType {
  if (template !== undefined) return { template, project: findLinkProject(context, { template, rootOrgId }) }
  const project = findOnlyProject(context, rootOrgId)
  const landing = project && landingUrls(project)[0]
  if (landing === undefined) return { project }
  return { template: `${landing}${landing.includes('?') ? '&' : '?'}bundle=%s`, project }
}

/**
 * Finds the project whose registered redirect URL a link template leads to: same origin and path, with every query
 * parameter of the registered URL. The session key is sent there and nowhere else.
 */
function findLinkProject(
  context: Context,
  { template, rootOrgId }: { template: string; rootOrgId: string },
): TrustedProject {
  if (template.split('%s').length !== 2 || !/^[^?#]*\?[^#]*%s[^#]*$/.test(template))
    throw custodyError('REQUEST_INVALID', 'magicLinkTemplate must hold %s once, in its query, for the bundle.')
  const link = /[\s\p{Cc}\\]/u.test(template) ? undefined : parseUrl(template)
  const projects = link ? trustedProjects(context, rootOrgId) : []
  for (const project of projects) {
    const registered = landingUrls(project).find((url) => leadsTo(link, new URL(url)))
    if (!link || registered === undefined) continue
    assertParameters(project, link, new URL(registered))
    return project
  }
  throw custodyError(
    'REDIRECT_NOT_ALLOWED',
    'magicLinkTemplate does not lead to a redirect URL that is registered. Register it with the project first.',
  )
}

/** Parameters that every link may carry, besides the bundle. */
const usualParameters: readonly string[] = [linkParameters.bundle, linkParameters.orgId, linkParameters.isSignup]

/** Who asks for a mail must not choose what the page believes of its link. */
function assertParameters({ redirectParams }: TrustedProject, link: URL, registered: URL): void {
  if (redirectParams.includes('*')) return
  const refused = [...link.searchParams].find(
    ([name, value]) =>
      value !== '%s' &&
      !usualParameters.includes(name) &&
      !redirectParams.includes(name) &&
      !registered.searchParams.getAll(name).includes(value),
  )
  if (!refused) return
  const name = JSON.stringify(refused[0].slice(0, 64))
  throw custodyError(
    'REDIRECT_NOT_ALLOWED',
    `The link adds the query parameter ${name}, which its project does not permit. Name it in the project's redirectParams.`,
  )
}

function leadsTo(link: URL | undefined, registered: URL): boolean {
  if (!link || link.username || link.password) return false
  if (link.origin !== registered.origin || link.pathname !== registered.pathname) return false
  return [...registered.searchParams].every(([name, value]) => link.searchParams.getAll(name).includes(value))
}
