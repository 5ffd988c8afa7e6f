import type { SignerStatus } from '../types.ts'
import {
  authenticate,
  completed,
  destroy,
  disconnect,
  expiredWhileConnected,
  expiredWhileSigningIn,
  failed,
  ignore,
  load,
  mailSent,
  restored,
  sessionChangedWhileConnected,
  sessionChangedWhileDisconnected,
  sessionChangedWhileRestoring,
  sessionChangedWhileSigningIn,
} from './handlers.ts'
import type { EventType, Handler, MachineEvent, MachineState, Step } from './types.ts'

export type SignerTable = { readonly [status in SignerStatus]: { readonly [type in EventType]: Handler<type> } }

/** What each event does in each status. There is no other place where the signer's status changes. */
export const signerTable: SignerTable = {
  INITIALIZING: {
    LOADED: load,
    AUTHENTICATE: authenticate,
    MAIL_SENT: ignore,
    COMPLETED: ignore,
    RESTORED: restored,
    FAILED: failed,
    SESSION_CHANGED: sessionChangedWhileRestoring,
    EXPIRED: ignore,
    DISCONNECT: disconnect,
    DESTROY: destroy,
  },
  AUTHENTICATING: {
    LOADED: ignore,
    AUTHENTICATE: authenticate,
    MAIL_SENT: mailSent,
    COMPLETED: completed,
    RESTORED: restored,
    FAILED: failed,
    SESSION_CHANGED: sessionChangedWhileSigningIn,
    EXPIRED: expiredWhileSigningIn,
    DISCONNECT: disconnect,
    DESTROY: destroy,
  },
  AWAITING_EMAIL_AUTH: {
    LOADED: ignore,
    AUTHENTICATE: authenticate,
    MAIL_SENT: ignore,
    COMPLETED: ignore,
    RESTORED: ignore,
    FAILED: ignore,
    SESSION_CHANGED: sessionChangedWhileSigningIn,
    EXPIRED: expiredWhileSigningIn,
    DISCONNECT: disconnect,
    DESTROY: destroy,
  },
  CONNECTED: {
    LOADED: ignore,
    AUTHENTICATE: authenticate,
    MAIL_SENT: ignore,
    COMPLETED: ignore,
    RESTORED: ignore,
    FAILED: ignore,
    SESSION_CHANGED: sessionChangedWhileConnected,
    EXPIRED: expiredWhileConnected,
    DISCONNECT: disconnect,
    DESTROY: destroy,
  },
  DISCONNECTED: {
    LOADED: ignore,
    AUTHENTICATE: authenticate,
    MAIL_SENT: ignore,
    COMPLETED: ignore,
    RESTORED: ignore,
    FAILED: ignore,
    SESSION_CHANGED: sessionChangedWhileDisconnected,
    EXPIRED: ignore,
    DISCONNECT: disconnect,
    DESTROY: destroy,
  },
}

export const initialState: MachineState = {
  status: 'INITIALIZING',
  session: null,
  live: false,
  job: null,
  call: null,
  jobs: 0,
}

/** One step of the machine: pure, so that every path can be walked without a page. */
export function transition(state: MachineState, event: MachineEvent): Step {
  const handler = signerTable[state.status][event.type] as Handler<EventType>
  return handler(state, event)
}
