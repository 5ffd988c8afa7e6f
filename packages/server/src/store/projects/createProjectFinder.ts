import { createJwtVerifier, type JwtIssuer } from '../../http/createJwtVerifier.ts'
import type { Db } from '../openStore.ts'
import { findProjectByApiKey } from './findProjectByApiKey.ts'
import { findProjectById } from './findProjectById.ts'
import type { Project } from './project.ts'

export declare namespace createProjectFinder {
  type ReturnType = (token: string) => Promise<Project | null>
}

/**
 * Finds the project that a bearer token stands for: its API key, or a JWT of one of its issuers. Throws `CONFIG_INVALID`
 * at once for an issuer that is not valid.
 */
export function createProjectFinder(db: Db, issuers: readonly JwtIssuer[] = []): createProjectFinder.ReturnType {
  const verify = createJwtVerifier(issuers)
  return async (token) => {
    const project = await findProjectByApiKey(db, token)
    // A JWT has two dots (RFC 7515 § 7.1).
    if (project || token.split('.').length !== 3) return project
    const id = await verify(token)
    return id === null ? null : findProjectById(db, id)
  }
}
