import type { Emitter } from '../core/emitter/createEmitter.ts'
import { BaseError } from '../core/errors/BaseError.ts'
import { isTransient } from './errors.ts'
import { initialState, transition } from './machine/signerMachine.ts'
import type { Effect, MachineEvent, MachineState } from './machine/types.ts'
import { type JobEffect, runJob } from './runJob.ts'
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
  const calls = createCalls()
  let state = initialState
  let closing: Promise<void> = Promise.resolve()
  let work: AbortController | undefined

  const dispatch = inOrder((event: MachineEvent) => step(event))
  const step = (event: MachineEvent) => {
    const before = state
    const { state: after, effects } = transition(before, event)
    state = after
    if (before.job && before.job.id !== after.job?.id) work?.abort()
    for (const effect of effects) perform(effect)
    onState?.(after)
    announce(emitter, before, after)
  }
  const start = (effect: JobEffect) => {
    work = new AbortController()
    runJob(context, effect, work.signal).then(dispatch, (cause: unknown) => {
      dispatch({ type: 'FAILED', job: effect.job, error: toBaseError(cause), final: !isTransient(cause) })
    })
  }
  const perform = (effect: Effect) => {
    if ('job' in effect) return start(effect)
    switch (effect.type) {
      case 'closeFrame': {
        // A mail on its way elsewhere was sealed to the frame's key: then the key stays.
        const forget = effect.forget && !context.store.readTemporary()
        closing = context.frame.close({ forget })
        return
      }
      case 'resolve':
        return calls.end(effect.call)?.resolve(effect.session.user)
      case 'reject':
        return calls.end(effect.call)?.reject(effect.error)
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
      const { id, answer } = calls.begin()
      const email = 'email' in request ? request.email : undefined
      dispatch({ type: 'AUTHENTICATE', call: { id, email }, request })
      return answer
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

/** Calls of `authenticate` that wait for their end. */
function createCalls() {
  const waiting = new Map<number, Waiting>()
  let last = 0
  return {
    begin() {
      last += 1
      const id = last
      const answer = new Promise<User>((resolve, reject) => waiting.set(id, { resolve, reject }))
      return { id, answer }
    },
    /** Whom to tell; nobody the second time. */
    end(id: number): Waiting | undefined {
      const call = waiting.get(id)
      waiting.delete(id)
      return call
    },
  }
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
