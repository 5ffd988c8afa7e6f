import type { z } from 'zod'
import type { Db } from '../../store/openStore.ts'
import { addPasskey } from '../credentials/addPasskey.ts'
import type { CustodyContext } from '../deps.ts'
import { trustedOrigins } from '../organizations/trustedProjects.ts'
import type { authenticatorSchema } from '../schemas.ts'
import { verifyRegistration } from '../webauthn/verifyRegistration.ts'

export declare namespace registerPasskeys {
  type Parameters = {
    userId: string
    orgId: string
    /** Parent of `orgId`: the origins of its projects are allowed. */
    rootOrgId: string
    authenticators: readonly z.output<typeof authenticatorSchema>[]
  }
}

/**
 * Verifies registrations and gives the passkeys to a user. Answers the credentials' ids.
 *
 * @throws ServerError `REQUEST_INVALID` | `CREDENTIAL_CONFLICT` (400)
 */
export async function registerPasskeys(
  context: CustodyContext,
  db: Db,
  { userId, orgId, rootOrgId, authenticators }: registerPasskeys.Parameters,
): Promise<string[]> {
  if (authenticators.length === 0) return []
  const allowedOrigins = trustedOrigins(context, rootOrgId)
  const ids: string[] = []
  for (const { authenticatorName, challenge, attestation } of authenticators) {
    const registration = verifyRegistration({ challenge, attestation, allowedOrigins })
    const { transports } = attestation
    ids.push(await addPasskey(context, db, { userId, orgId, name: authenticatorName, transports, registration }))
  }
  return ids
}
