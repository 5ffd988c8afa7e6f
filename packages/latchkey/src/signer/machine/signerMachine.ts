import type { SignerStatus } from '../types.ts'
import { destroy, disconnect, expiredWhileConnected, expiredWhileSigningIn, load } from './lifeCycle.ts'
import {
  sessionChangedWhileConnected,
  sessionChangedWhileDisconnected,
  sessionChangedWhileRestoring,
  sessionChangedWhileSigningIn,
} from './otherTabs.ts'
import { aborted, authenticate, completed, failed, mailDropped, mailExpired, mailSent, restored } from './signingIn.ts'
import { ignore } from './steps.ts'
import type { EventType, Handler, MachineEvent, MachineState, Step } from './types.ts'

export type SignerTable = { readonly [status in SignerStatus]: { readonly [type in EventType]: Handler<type> } }

/** In every status the same. */
const always = { AUTHENTICATE: authenticate, DISCONNECT: disconnect, DESTROY: destroy } as const
/** Nothing is under way that could end. */
const idle = {
  LOADED: ignore,
  MAIL_SENT: ignore,
  COMPLETED: ignore,
  RESTORED: ignore,
  FAILED: ignore,
  ABORTED: ignore,
  MAIL_EXPIRED: ignore,
  MAIL_DROPPED: ignore,
  EXPIRED: ignore,
} as const

/** What each event does in each status. There is no other place where the signer's status changes. */
export const signerTable: SignerTable = {
  INITIALIZING: {
    ...idle,
    ...always,
    LOADED: load,
    RESTORED: restored,
    FAILED: failed,
    SESSION_CHANGED: sessionChangedWhileRestoring,
  },
  AUTHENTICATING: {
    ...idle,
    ...always,
    MAIL_SENT: mailSent,
    COMPLETED: completed,
    RESTORED: restored,
    FAILED: failed,
    ABORTED: aborted,
    SESSION_CHANGED: sessionChangedWhileSigningIn,
    EXPIRED: expiredWhileSigningIn,
  },
  AWAITING_EMAIL_AUTH: {
    ...idle,
    ...always,
    ABORTED: aborted,
    MAIL_EXPIRED: mailExpired,
    MAIL_DROPPED: mailDropped,
    SESSION_CHANGED: sessionChangedWhileSigningIn,
    EXPIRED: expiredWhileSigningIn,
  },
  CONNECTED: {
    ...idle,
    ...always,
    SESSION_CHANGED: sessionChangedWhileConnected,
    EXPIRED: expiredWhileConnected,
  },
  DISCONNECTED: {
    ...idle,
    ...always,
    SESSION_CHANGED: sessionChangedWhileDisconnected,
  },
}

export const initialState: MachineState = {
  status: 'INITIALIZING',
  session: null,
  reason: null,
  live: false,
  job: null,
  sending: null,
  call: null,
  completing: null,
  mailEndsMs: null,
  jobs: 0,
}

/** One step of the machine: pure, so that every path can be walked without a page. */
export function transition(state: MachineState, event: MachineEvent): Step {
  const handler = signerTable[state.status][event.type] as Handler<EventType>
  return handler(state, event)
}
