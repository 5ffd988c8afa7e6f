import { createEmitter, type Emitter } from '../core/createEmitter.ts'
import type { BaseError } from '../core/errors/BaseError.ts'
import type { PendingConfirmation, PendingDeletion } from './pending.ts'
import type { MachineState } from './runner/machine/types.ts'
import type { Session } from './session/Session.ts'
import type { Signer, SignerEvents } from './types.ts'

type MachineStart = Pick<MachineState, 'status' | 'session' | 'reason'>

/** State that a signer exposes by properties and events. */
export type SignerState = {
  /** The loaded machine adds its own state. */
  readonly machine: MachineStart & Partial<MachineState>
  readonly confirmation: PendingConfirmation | null
  readonly deletion: PendingDeletion | null
  /** Expiration time of the session in use, once it is near. */
  readonly expiring: number | null
  /** Last failure outside of a call, until the next sign-in. */
  readonly failure: BaseError | null
}

export type ObservableState = Pick<Signer, 'on'> &
  Pick<Emitter<SignerEvents>, 'emit' | 'clear'> & {
    read(): SignerState
    /** Session in use. Null in every status except CONNECTED. */
    session(): Session | null
    /** Applies changes. The machine emits their events once all related changes are applied. */
    write(changes: Partial<SignerState>): void
  }

/** Creates a signer's state and its listeners, which are available before the signer's code is loaded. */
export function createSignerState(): ObservableState {
  const { on, emit, clear } = createEmitter<SignerEvents>()
  let state: SignerState = {
    machine: { status: 'INITIALIZING', session: null, reason: null },
    confirmation: null,
    deletion: null,
    expiring: null,
    failure: null,
  }
  return {
    emit,
    clear,
    read: () => state,
    session: () => sessionInUse(state.machine),
    write(changes) {
      state = { ...state, ...changes }
    },
    on(event, listener) {
      const off = on(event, listener)
      // A new listener immediately receives the events for the current state.
      const { machine, expiring, failure } = state
      const session = sessionInUse(machine)
      const missed: { readonly [name in keyof SignerEvents]?: readonly unknown[] | null | false } = {
        statusChanged: statusChange(machine),
        connected: session && [session.user],
        disconnected: machine.status === 'DISCONNECTED' && [],
        expiring: expiring !== null && [expiring],
        error: failure && [failure],
      }
      const values: readonly unknown[] | null | false | undefined = missed[event]
      if (values) (listener as (...values: readonly unknown[]) => void)(...values)
      return off
    },
  }
}

export function statusChange({ status, reason }: MachineStart): SignerEvents['statusChanged'] {
  return reason ? [status, reason] : [status]
}

export function sessionInUse({ status, session }: MachineStart): Session | null {
  return status === 'CONNECTED' ? session : null
}
