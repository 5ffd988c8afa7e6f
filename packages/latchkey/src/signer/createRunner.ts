import type { Emitter } from '../core/createEmitter.ts'
import { createCalls } from './createCalls.ts'
import type { SignerContext } from './createContext.ts'
import { AbortedError } from './errors/authErrors.ts'
import { isTransient, toBaseError } from './errors/explain.ts'
import { completeCode, completeEmail, sendMail } from './jobs/emailSignIn.ts'
import { logInWithPasskey, signUpWithPasskey } from './jobs/passkeySignIn.ts'
import { restoreSession, signOut } from './jobs/session.ts'
import { initialState, transition } from './machine/signerMachine.ts'
import type { AuthRequest, Effect, MachineEvent, MachineState } from './machine/types.ts'
import type { SignerEvents, User } from './types.ts'

/** The machine at work: takes events, performs the effects, calls the listeners. */
export type SignerRunner = {
  state(): MachineState
  dispatch(event: MachineEvent): void
  /** Starts a sign-in and waits for its end. */
  call(request: AuthRequest): Promise<User>
  /** Resolves when the frame that was closed last is removed, and signing out is done. */
  settled(): Promise<void>
}

export declare namespace createRunner {
  type Parameters = {
    context: SignerContext
    emitter: Emitter<SignerEvents>
    /** Called after every step, before the listeners. */
    onState?: ((state: MachineState) => void) | undefined
  }
  type ReturnType = SignerRunner
}

/** Runs the machine: one event at a time, in order; listeners are called when its effects have begun. */
export function createRunner(parameters: createRunner.Parameters): createRunner.ReturnType {
  const { context, emitter, onState } = parameters
  const calls = createCalls()
  let state = initialState
  let closing: Promise<void> = Promise.resolve()
  const works = new Map<number, AbortController>()
  /** The mail that was requested last. */
  let mail: Promise<unknown> = Promise.resolve()

  const dispatch = inOrder((event: MachineEvent) => {
    const before = state
    const { state: after, effects } = transition(before, event)
    state = after
    for (const [job, work] of works)
      if (job !== after.job?.id && job !== after.sending && works.delete(job)) work.abort()
    for (const effect of effects) perform(effect)
    onState?.(after)
    announce(emitter, before, after)
  })
  const start = (effect: JobEffect) => {
    const work = new AbortController()
    works.set(effect.job, work)
    const newer = state.sending === null ? undefined : mail
    const done = runJob(context, effect, { signal: work.signal, newer }).then(dispatch, (cause: unknown) => {
      dispatch({ type: 'FAILED', job: effect.job, error: toBaseError(cause), final: !isTransient(cause) })
    })
    if (effect.type === 'sendMail') mail = done
  }
  const perform = (effect: Effect) => {
    if ('job' in effect) return start(effect)
    switch (effect.type) {
      case 'closeFrame':
        closing = context.authFrame.close()
        return
      case 'signOut':
        closing = signOut(context, effect.session)
        return
      case 'resolve':
        return calls.resolve(effect.call, effect.session.user)
      case 'reject':
        return calls.reject(effect.call, effect.error)
      case 'join':
        return calls.join(effect.call, effect.to)
      case 'report':
        return emitter.emit('error', effect.error)
      default:
        return updateStore(context, effect)
    }
  }

  return {
    state: () => state,
    dispatch,
    call(request) {
      const signal = 'signal' in request ? request.signal : undefined
      if (signal?.aborted) return Promise.reject(new AbortedError())
      const { id, result } = calls.begin(signal, (call) => dispatch({ type: 'ABORTED', call }))
      const email = 'email' in request ? request.email : undefined
      dispatch({ type: 'AUTHENTICATE', call: { id, email }, request })
      return result
    },
    settled: () => closing,
  }
}

type StoreEffect = Extract<Effect, { type: 'saveSession' | 'clearSession' | 'saveTemporary' | 'clearTemporary' }>

function updateStore({ store }: SignerContext, effect: StoreEffect): void {
  if (effect.type === 'saveSession') store.write(effect.session)
  else if (effect.type === 'clearSession') store.clear()
  else if (effect.type === 'saveTemporary') store.writeTemporary(effect.temporary)
  else store.clearTemporary()
}

/** An effect that takes time and ends in an event. */
type JobEffect = Extract<Effect, { job: number }>

/** `newer`: done when the mail that is being requested beside the job was sent, or was not. */
type JobOptions = { signal: AbortSignal; newer: Promise<unknown> | undefined }

/** Does a job and returns the event it ends in. */
async function runJob(context: SignerContext, effect: JobEffect, { signal, newer }: JobOptions): Promise<MachineEvent> {
  const { job } = effect
  switch (effect.type) {
    case 'restore':
      return { type: 'RESTORED', job, session: await restoreSession(context, effect.session, signal) }
    case 'sendMail':
      return { type: 'MAIL_SENT', job, ...(await sendMail(context, effect.request, signal)) }
    case 'complete': {
      const { request } = effect
      if ('bundle' in request) return { type: 'COMPLETED', job, ...(await completeEmail(context, request, signal)) }
      return { type: 'COMPLETED', job, session: await completeCode(context, request, { signal, newer }) }
    }
    case 'usePasskey': {
      const { request } = effect
      const session = request.createNew
        ? await signUpWithPasskey(context, request, signal)
        : await logInWithPasskey(context, request, signal)
      return { type: 'COMPLETED', job, session }
    }
  }
}

/** Takes values one at a time: one that comes while another is taken waits for its turn. */
function inOrder<value>(take: (value: value) => void): (value: value) => void {
  const queue: value[] = []
  let running = false
  return (value) => {
    queue.push(value)
    if (running) return
    running = true
    try {
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) take(next)
    } finally {
      running = false
    }
  }
}

function announce(emitter: Emitter<SignerEvents>, before: MachineState, after: MachineState): void {
  const changed = before.status !== after.status
  if (changed) emitter.emit('statusChanged', ...statusChange(after))
  if (after.status === 'CONNECTED' && after.session) {
    const { userId, email, address } = after.session.user
    const { user } = before.session ?? {}
    if (changed || user?.userId !== userId || user.email !== email || user.address !== address)
      emitter.emit('connected', after.session.user)
  }
  if (changed && after.status === 'DISCONNECTED') emitter.emit('disconnected')
}

/** What listeners of `statusChanged` are called with. */
export function statusChange({ status, reason }: MachineState): SignerEvents['statusChanged'] {
  return reason ? [status, reason] : [status]
}
