import type { Stamper } from '../custody/createCustodyClient.ts'
import type { SignerContext } from '../SignerContext.ts'
import type { Session } from '../session/Session.ts'
import { stamperOf } from './stamperOf.ts'

/**
 * What signs requests that change who may sign, or show a secret: the person's passkey where the session has one, even
 * when a key of this browser signs the rest; else the session's key, which the service takes while it is young.
 */
export function strongStamperOf(context: SignerContext, session: Session): Stamper {
  const { credentialId } = session.user
  if (session.type === 'passkey') return context.passkeys.stamper({ credentialId })
  return stamperOf(context, session)
}
