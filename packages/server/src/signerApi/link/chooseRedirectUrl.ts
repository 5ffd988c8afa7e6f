import { landingUrls, type Project } from '../../store/projects.ts'

/**
 * Where a mail link leads: the registered redirect URL on the page's own origin, else the first; for a project without
 * one, the front page of the origin that asks, else of its first. Links never go anywhere else. Undefined for a project
 * without pages: its mails carry a code only.
 */
export function chooseRedirectUrl(
  project: Pick<Project, 'redirectUrls' | 'allowedOrigins'>,
  origin: string | undefined,
): string | undefined {
  const urls = landingUrls(project)
  return urls.find((url) => new URL(url).origin === origin) ?? urls[0]
}
