import { createChunk } from '../../../core/createChunk.ts'
import type { Session } from '../../session/Session.ts'
import type { SignerContext } from '../createContext.ts'
import { toDeviceSession } from './session.ts'

/** Loaded on demand, if the browser blocks the frame's storage. */
export const handOverChunk = /* @__PURE__ */ createChunk({ name: 'handOver', import: () => import('./handOver.ts') })

/** Injects a bundle into the frame and requests its user from the service. Returns a session that starts now. */
export async function openBundle(
  context: SignerContext,
  { bundle, orgId }: { bundle: string; orgId: string },
  signal: AbortSignal,
): Promise<Session> {
  const { signerApi, deletions, authFrame, sessionMs, now } = context
  await authFrame.inject(bundle, signal)
  const user = await deletions.watch(signerApi.whoami(orgId, authFrame.stamp, signal), authFrame.stamp)
  const session: Session = { type: 'email', user, bundle, expirationDateMs: now() + sessionMs }
  if (context.isDeviceSession) return toDeviceSession(context, session, authFrame.stamp, signal)
  if (await authFrame.isKept()) return session
  const { keepLentKey } = await handOverChunk.load()
  return keepLentKey(context, session)
}
