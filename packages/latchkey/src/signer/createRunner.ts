import type { Emitter } from '../core/emitter/createEmitter.ts'
import { BaseError } from '../core/errors/BaseError.ts'
import { completeEmail } from './actions/completeEmail.ts'
import { logInWithPasskey } from './actions/logInWithPasskey.ts'
import { restoreSession } from './actions/restoreSession.ts'
import { sendMail } from './actions/sendMail.ts'
import { signUpWithPasskey } from './actions/signUpWithPasskey.ts'
import { isTransient } from './errors.ts'
import { initialState, transition } from './machine/signerMachine.ts'
import type { Effect, MachineEvent, MachineState } from './machine/types.ts'
import type { SignerContext, SignerRunner } from './SignerContext.ts'
import type { SignerEvents, User } from './types.ts'

type Waiting = { resolve(user: User): void; reject(error: BaseError): void }

export declare namespace createRunner {
  type Parameters = {
    context: SignerContext
    emitter: Emitter<SignerEvents>
    /** Called after every step, before the listeners. */
    onState?: ((state: MachineState) => void) | undefined
  }
  type ReturnType = SignerRunner
}

/** Runs the machine: one event at a time, in order; listeners hear of a step when its effects have begun. */
export function createRunner(parameters: createRunner.Parameters): createRunner.ReturnType {
  const { context, emitter, onState } = parameters
  const queue: MachineEvent[] = []
  const calls = new Map<number, Waiting>()
  let state = initialState
  let running = false
  let lastCall = 0
  let closing: Promise<void> = Promise.resolve()
  let work: AbortController | undefined

  const dispatch = (event: MachineEvent) => {
    queue.push(event)
    if (running) return
    running = true
    try {
      for (let next = queue.shift(); next; next = queue.shift()) step(next)
    } finally {
      running = false
    }
  }
  const step = (event: MachineEvent) => {
    const before = state
    const { state: after, effects } = transition(before, event)
    state = after
    if (before.job && before.job.id !== after.job?.id) work?.abort()
    for (const effect of effects) perform(effect)
    onState?.(after)
    announce(emitter, before, after)
  }
  const start = (job: number, task: (signal: AbortSignal) => Promise<MachineEvent>) => {
    work = new AbortController()
    task(work.signal).then(dispatch, (cause: unknown) => {
      dispatch({ type: 'FAILED', job, error: toBaseError(cause), final: !isTransient(cause) })
    })
  }
  const perform = (effect: Effect) => {
    switch (effect.type) {
      case 'restore':
        return start(effect.job, async (signal) => ({
          type: 'RESTORED',
          job: effect.job,
          session: await restoreSession(context, effect.session, signal),
        }))
      case 'sendMail':
        return start(effect.job, async (signal) => ({
          type: 'MAIL_SENT',
          job: effect.job,
          orgId: await sendMail(context, effect.request, signal),
        }))
      case 'complete':
        return start(effect.job, async (signal) => ({
          type: 'COMPLETED',
          job: effect.job,
          session: await completeEmail(context, effect.request, signal),
        }))
      case 'usePasskey':
        return start(effect.job, async (signal) => ({
          type: 'COMPLETED',
          job: effect.job,
          session: effect.request.createNew
            ? await signUpWithPasskey(context, effect.request, signal)
            : await logInWithPasskey(context, signal),
        }))
      case 'closeFrame': {
        // A mail on its way elsewhere was sealed to the frame's key: then the key stays.
        const forget = effect.forget && !context.store.readTemporary()
        closing = context.frame.close({ forget })
        return
      }
      case 'resolve':
        return settle(calls, effect.call)?.resolve(effect.session.user)
      case 'reject':
        return settle(calls, effect.call)?.reject(effect.error)
      case 'report':
        return emitter.emit('error', effect.error)
      default:
        return store(context, effect)
    }
  }

  return {
    state: () => state,
    dispatch,
    call(request) {
      lastCall += 1
      const id = lastCall
      return new Promise((resolve, reject) => {
        calls.set(id, { resolve, reject })
        const email = 'email' in request ? request.email : undefined
        dispatch({ type: 'AUTHENTICATE', call: { id, email }, request })
      })
    },
    settled: () => closing,
  }
}

function store(
  { store }: SignerContext,
  effect: Extract<Effect, { type: 'saveSession' | 'clearSession' | 'saveTemporary' | 'clearTemporary' }>,
): void {
  if (effect.type === 'saveSession') store.write(effect.session)
  else if (effect.type === 'clearSession') store.clear()
  else if (effect.type === 'saveTemporary') store.writeTemporary({ orgId: effect.orgId })
  else store.clearTemporary()
}

function settle(calls: Map<number, Waiting>, id: number): Waiting | undefined {
  const waiting = calls.get(id)
  calls.delete(id)
  return waiting
}

function announce(emitter: Emitter<SignerEvents>, before: MachineState, after: MachineState): void {
  const changed = before.status !== after.status
  if (changed) emitter.emit('statusChanged', after.status)
  if (after.status === 'CONNECTED' && after.session) {
    if (changed || before.session?.user.userId !== after.session.user.userId) {
      emitter.emit('connected', after.session.user)
    }
  }
  if (changed && after.status === 'DISCONNECTED') emitter.emit('disconnected')
}

function toBaseError(cause: unknown): BaseError {
  if (cause instanceof BaseError) return cause
  if (cause instanceof Error && cause.name === 'AbortError') {
    return new BaseError('The sign-in was cancelled.', { code: 'ABORTED', cause })
  }
  return new BaseError('The sign-in failed in a way nobody foresaw.', { code: 'INTERNAL', cause })
}
