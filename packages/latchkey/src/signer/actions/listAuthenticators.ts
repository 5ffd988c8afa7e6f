import { custodyPaths, type Timestamp } from '../../wire/custody.ts'
import { toMs } from '../custody/toMs.ts'
import { ResponseInvalidError } from '../errors/custodyErrors.ts'
import { sendInTurn } from '../passkey/sendInTurn.ts'
import { stamperOf } from '../passkey/stamperOf.ts'
import type { SignerContext, SignerRunner } from '../SignerContext.ts'
import { getSession } from '../session/getSession.ts'
import type { Authenticator } from '../types.ts'

type Listed = { authenticatorId: string; authenticatorName: string; credentialId: string; createdAt: Timestamp }

/** The passkeys of the user signed in, oldest first. */
export async function listAuthenticators(context: SignerContext, runner: SignerRunner): Promise<Authenticator[]> {
  const session = getSession(context, runner)
  const { orgId, userId, credentialId: own } = session.user
  const stamp = stamperOf(context, session)
  const body = JSON.stringify({ organizationId: orgId, userId })
  const answer = await sendInTurn(context, session, () =>
    context.custody.query(custodyPaths.getAuthenticators, body, stamp, context.scope.signal()),
  )
  const listed = (answer as { authenticators?: unknown } | null)?.authenticators
  if (!Array.isArray(listed) || !listed.every(isListed)) throw new ResponseInvalidError('its passkeys')
  return listed
    .map(({ authenticatorId: id, authenticatorName: name, credentialId, createdAt }) => {
      return { id, name, credentialId, createdAtMs: toMs(createdAt), isCurrent: credentialId === own }
    })
    .sort((a, b) => a.createdAtMs - b.createdAtMs)
}

function isListed(value: unknown): value is Listed {
  const { authenticatorId, credentialId } = (value ?? {}) as Partial<Listed>
  return typeof authenticatorId === 'string' && typeof credentialId === 'string'
}
