import type { SignerContext, SignerRunner } from '../SignerContext.ts'
import { getSession } from '../session/getSession.ts'
import type { User } from '../types.ts'

/** Who is signed in. Nobody: `SIGNER_NOT_AUTHENTICATED`. */
export function getAuthDetails(context: SignerContext, runner: SignerRunner): User {
  return getSession(context, runner).user
}
