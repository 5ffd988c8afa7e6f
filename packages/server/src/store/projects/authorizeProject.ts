import { ServerError } from '../../http/ServerError.ts'
import type { Project } from './project.ts'

export declare namespace authorizeProject {
  type Parameters = {
    /** Answers the project of an API key or of whatever else proves it. */
    find(apiKey: string): Promise<Project | null>
    /** Header `Authorization`, looked at for a bearer key when `apiKey` is not given. */
    authorization: string | undefined
    /** API key that came another way. */
    apiKey?: string | undefined
    /** Header `Origin`. Callers without one are not browsers. */
    origin: string | undefined
    /** How to send the key, for those who did not. */
    hint: string
  }
}

/**
 * Lets in who shows a project's API key. A page must also be on one of the project's origins.
 *
 * @throws ServerError `UNAUTHENTICATED` (401) | `ORIGIN_NOT_ALLOWED` (403)
 */
export async function authorizeProject(parameters: authorizeProject.Parameters): Promise<Project> {
  const { find, authorization, origin, hint } = parameters
  const apiKey = parameters.apiKey ?? /^Bearer ([^\s]{1,8192})$/i.exec(authorization ?? '')?.[1]
  const project = apiKey ? await find(apiKey) : null
  if (!project)
    throw new ServerError(`The API key is missing or unknown. ${hint}`, { code: 'UNAUTHENTICATED', status: 401 })
  if (origin !== undefined && !project.allowedOrigins.includes(origin))
    throw new ServerError(`The origin ${origin.slice(0, 128)} is not registered for this API key.`, {
      code: 'ORIGIN_NOT_ALLOWED',
      status: 403,
    })
  return project
}
