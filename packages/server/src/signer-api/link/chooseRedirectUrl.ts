import { ServerError } from '../../http/ServerError.ts'
import type { Project } from '../../store/projects/project.ts'

export declare namespace chooseRedirectUrl {
  type ErrorType = ServerError
}

/** The registered redirect URL on the page's own origin, else the first. Links never go anywhere else. */
export function chooseRedirectUrl(project: Project, origin: string | undefined): string {
  const chosen = project.redirectUrls.find((url) => new URL(url).origin === origin) ?? project.redirectUrls[0]
  if (chosen !== undefined) return chosen
  throw new ServerError('No redirect URL is registered for this API key. Register the page that signs people in.', {
    code: 'REDIRECT_NOT_ALLOWED',
    status: 400,
  })
}
