import type { Stamper } from '../custody/createCustodyClient.ts'
import type { SignerContext } from '../SignerContext.ts'
import type { Session } from '../session/Session.ts'

/** What signs requests in a session: the frame's key, or a prompt for the one passkey of the session. */
export function stamperOf({ frame, passkeys }: SignerContext, session: Session): Stamper {
  if (session.type === 'email') return frame.stamp
  return passkeys.stamper({ credentialId: session.user.credentialId })
}
