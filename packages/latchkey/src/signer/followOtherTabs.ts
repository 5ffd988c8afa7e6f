import type { Platform } from '../web/platform.ts'
import type { MachineEvent } from './machine/types.ts'
import type { SignerContext } from './SignerContext.ts'
import type { SignerParameters } from './types.ts'

export declare namespace followOtherTabs {
  type Parameters = {
    context: SignerContext
    platform: Platform
    sessionConfig: SignerParameters['sessionConfig']
    /** Storage key of the session. */
    key: string
    dispatch: (event: MachineEvent) => void
  }
  /** Stops following. */
  type ReturnType = () => void
}

/** Tells the machine what other tabs wrote; only writes to the local storage are heard of. */
export function followOtherTabs(parameters: followOtherTabs.Parameters): followOtherTabs.ReturnType {
  const { context, platform, sessionConfig, key, dispatch } = parameters
  const { store } = context
  if (sessionConfig?.storage === 'sessionStorage') return () => undefined
  return platform.onStorageChange((changed) => {
    // Kept from before another tab uses it up.
    store.lastMail()
    if (changed === key || changed === null) dispatch({ type: 'SESSION_CHANGED', session: store.read() })
    // A mail that has done its work leaves a session behind; one that was dropped leaves nothing.
    const isDropped = (changed === `${key}:temporary` || changed === null) && !store.readTemporary() && !store.read()
    if (isDropped) dispatch({ type: 'MAIL_DROPPED' })
  })
}
