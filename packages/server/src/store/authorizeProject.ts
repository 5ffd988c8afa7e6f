import type { Db } from '../platform/database/openStore.ts'
import { derive } from '../platform/derive.ts'
import { ServerError } from '../platform/errors/ServerError.ts'
import { createJwtVerifier, type JwtIssuer } from '../platform/http/createJwtVerifier.ts'
import { type ApiKey, findApiKey } from './apiKeys.ts'
import { findProjectByApiKey, findProjectById, type Project } from './projects.ts'

export declare namespace authorizeProject {
  type Parameters = {
    /** Finds the project of a bearer token, as {@link createProjectFinder} does. */
    find(token: string): Promise<ProjectAccess | null>
    /** `Authorization` header, which is read for a bearer token if `apiKey` is missing. */
    authorization: string | undefined
    /** API key from another part of the request, such as the path. */
    apiKey?: string | undefined
    /** Header `Origin`. Callers without one are not browsers. */
    origin: string | undefined
    /** Advice on sending the key, for the error message. */
    hint: string
  }
}

/**
 * Returns the project that a request authenticates as. A page must also be on one of the project's origins.
 *
 * @throws `UNAUTHENTICATED`, `ORIGIN_NOT_ALLOWED`.
 */
export async function authorizeProject(parameters: authorizeProject.Parameters): Promise<ProjectAccess> {
  const { find, authorization, origin, hint } = parameters
  const token = parameters.apiKey ?? readBearer(authorization)
  const project = token ? await find(token) : null
  if (!project)
    throw new ServerError(`The API key is missing or unknown. ${hint}`, { code: 'UNAUTHENTICATED', status: 401 })
  if (origin !== undefined && !project.allowedOrigins.includes(origin))
    throw new ServerError(`The origin ${shownOrigin(origin)} is not registered for this API key.`, {
      code: 'ORIGIN_NOT_ALLOWED',
      status: 403,
    })
  return project
}

/** Returns an origin as browsers write it. Other text is not repeated, since it may be a secret in the wrong header. */
function shownOrigin(origin: string): string {
  return /^(?:null|[a-z][a-z\d+.-]{0,20}:\/\/[a-z\d.:[\]-]{1,100})$/i.test(origin) ? origin : 'of this request'
}

/** Returns the token of an `Authorization` header (RFC 6750 § 2.1). */
export function readBearer(authorization: string | undefined): string | undefined {
  return /^Bearer ([^\s]{1,8192})$/i.exec(authorization ?? '')?.[1]
}

/** A project as seen by a caller, whose key may be restricted. */
export type ProjectAccess = Project & {
  /** Undefined for the project's first key and its issuers' tokens, which are unrestricted. */
  key?: ApiKey | undefined
}

/** Configuration that decides who has access; read at each request, since it may change. */
export type ConfiguredAccess = {
  /** The only projects that are served, whatever the database contains. @default all projects in the database */
  readonly projects?: readonly Pick<Project, 'id'>[] | undefined
  /** Issuers of tokens. @default none */
  readonly jwt?: readonly JwtIssuer[] | undefined
}

export function isServed({ projects }: ConfiguredAccess, { id }: Pick<Project, 'id'>): boolean {
  return projects === undefined || projects.some((project) => project.id === id)
}

export declare namespace createProjectFinder {
  type ReturnType = (token: string) => Promise<ProjectAccess | null>
}

/**
 * Creates a finder for the project of a bearer token: one of its API keys, or a JWT of one of its issuers. Finds only
 * projects that the configuration serves.
 *
 * @throws `CONFIG_INVALID` at creation, for an invalid issuer.
 */
export function createProjectFinder(db: Db, config: ConfiguredAccess = {}): createProjectFinder.ReturnType {
  const readVerifier = derive(
    () => config.jwt,
    (issuers = []) => createJwtVerifier(issuers),
  )
  readVerifier()
  async function find(token: string): Promise<ProjectAccess | null> {
    const project = (await findProjectByApiKey(db, token)) ?? (await findByFurtherKey(db, token))
    // A JWT has two dots (RFC 7515 § 7.1).
    if (project || token.split('.').length !== 3) return project
    const id = await readVerifier()(token)
    return id === null ? null : findProjectById(db, id)
  }
  return async (token) => {
    const project = await find(token)
    return project && isServed(config, project) ? project : null
  }
}

async function findByFurtherKey(db: Db, token: string): Promise<ProjectAccess | null> {
  const key = await findApiKey(db, token)
  const project = key && (await findProjectById(db, key.projectId))
  return project && { ...project, allowedOrigins: [...(key.origins ?? project.allowedOrigins)], key }
}
