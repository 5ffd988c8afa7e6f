import type { BaseError } from '../../core/errors/BaseError.ts'
import type { ProviderWindow } from '../../web/platform.ts'
import { type ObservableState, sessionInUse, statusChange } from '../createSignerState.ts'
import { AbortedError } from '../errors/authErrors.ts'
import { isTransient, toBaseError } from '../errors/explain.ts'
import type { User } from '../types.ts'
import type { SignerContext } from './createContext.ts'
import { completeCode, completeEmail, providerChunk, sendMail } from './jobs/emailSignIn.ts'
import { logInWithPasskey, signUpWithPasskey } from './jobs/passkeySignIn.ts'
import { restoreSession, signOut } from './jobs/session.ts'
import { initialState, transition } from './machine/signerMachine.ts'
import type { AuthRequest, Effect, MachineEvent, MachineState } from './machine/types.ts'

/** Running machine, which processes events and performs their effects. */
export type SignerRunner = {
  context: SignerContext
  state(): MachineState
  dispatch(event: MachineEvent): void
  /** Reports a failure outside of any call to listeners. */
  report(error: BaseError): void
  isDestroyed(): boolean
  /** Starts a sign-in and waits until it has ended. */
  call(request: AuthRequest): Promise<User>
  /** Resolves once the machine has processed the end of the current job. */
  jobEnded(): Promise<void>
  /** Resolves once closed frames are removed and the sign-out is complete. */
  settled(): Promise<void>
}

export declare namespace runMachine {
  type Parameters = {
    context: SignerContext
    state: ObservableState
    /** Called after every transition, before the listeners. */
    onState: (state: MachineState) => void
  }
  type ReturnType = SignerRunner
}

/** Runs the machine. Processes one event at a time, in order, and calls the listeners after starting the effects. */
export function runMachine(parameters: runMachine.Parameters): runMachine.ReturnType {
  const { context, state: observed, onState } = parameters
  const calls = createCalls()
  const state = (): MachineState => ({ ...initialState, ...observed.read().machine })
  let isDestroyed = false
  let closing: Promise<void> = Promise.resolve()
  const works = new Map<number, AbortController>()
  /** Promise of the last e-mail request. */
  let mail: Promise<unknown> = Promise.resolve()
  let ended: Promise<void> = Promise.resolve()

  const dispatch = inOrder((event: MachineEvent) => {
    const before = state()
    const { state: after, effects } = transition(before, event)
    observed.write({ machine: after })
    if (event.type === 'DESTROY') isDestroyed = true
    abortOthers(works, after)
    for (const effect of effects) perform(effect)
    onState(after)
    announce(observed, before, after)
  })
  const start = (effect: JobEffect) => {
    const work = new AbortController()
    works.set(effect.job, work)
    const newer = state().sending === null ? undefined : mail
    const done = runJob(context, effect, { signal: work.signal, newer }).catch(toFailed(effect.job)).then(dispatch)
    if (effect.job === state().job?.id) ended = done
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
        return reportFailure(observed, effect.error)
      default:
        return updateStore(context, effect)
    }
  }

  return {
    context,
    state,
    report: (failure) => reportFailure(observed, failure),
    isDestroyed: () => isDestroyed,
    dispatch,
    call(request) {
      const signal = 'signal' in request ? request.signal : undefined
      if (signal?.aborted) return Promise.reject(new AbortedError())
      const { id, result } = calls.begin(signal, (call) => dispatch({ type: 'ABORTED', call }))
      dispatch({ type: 'AUTHENTICATE', call: { id, email: 'email' in request ? request.email : undefined }, request })
      return result
    },
    jobEnded: () => ended,
    settled: () => closing,
  }
}

const toFailed =
  (job: number) =>
  (cause: unknown): MachineEvent => ({ type: 'FAILED', job, error: toBaseError(cause), final: !isTransient(cause) })

function abortOthers(works: Map<number, AbortController>, { job, sending }: MachineState): void {
  for (const [id, work] of works) if (id !== job?.id && id !== sending && works.delete(id)) work.abort()
}

type StoreEffect = Extract<Effect, { type: 'saveSession' | 'clearSession' | 'saveTemporary' | 'clearTemporary' }>

function updateStore({ store }: SignerContext, effect: StoreEffect): void {
  if (effect.type === 'saveSession') store.write(effect.session)
  else if (effect.type === 'clearSession') store.clear()
  else if (effect.type === 'saveTemporary') store.writeTemporary(effect.temporary)
  else store.clearTemporary()
}

/** Effect that starts a job. The end of the job is another event. */
type JobEffect = Extract<Effect, { job: number }>

/** `newer`: settles when the pending e-mail request is finished. */
type JobOptions = { signal: AbortSignal; newer: Promise<unknown> | undefined }

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
    case 'useProvider': {
      const { request } = effect
      // Opens the window before any request: browsers allow it only right after a click.
      const opened = request.mode === 'redirect' ? null : (context.providers?.open() ?? null)
      const { signInWithProvider } = await loadProviders(opened)
      return { type: 'COMPLETED', job, session: await signInWithProvider(context, { request, opened }, signal) }
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

async function loadProviders(opened: ProviderWindow | null) {
  try {
    return await providerChunk.load()
  } catch (error) {
    opened?.close()
    throw error
  }
}

/** Processes values one at a time, in order. Queues values that arrive during processing. */
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

function reportFailure({ write, emit }: ObservableState, failure: BaseError): void {
  write({ failure })
  emit('error', failure)
}

function announce({ emit }: ObservableState, before: MachineState, after: MachineState): void {
  const changed = before.status !== after.status
  if (changed) emit('statusChanged', ...statusChange(after))
  const user = sessionInUse(after)?.user
  if (user && (changed || !isSameUser(user, before.session?.user))) emit('connected', user)
  if (changed && after.status === 'DISCONNECTED') emit('disconnected')
}

function isSameUser(a: User, b: User | undefined): boolean {
  return a.userId === b?.userId && a.email === b.email && a.address === b.address
}

type Calls = {
  /**
   * Registers a call. Its promise rejects when `signal` aborts. `onLeft` is called when the call has no callers left.
   */
  begin(signal: AbortSignal | undefined, onLeft: (id: number) => void): { id: number; result: Promise<User> }
  resolve(id: number, user: User): void
  reject(id: number, error: BaseError): void
  /** Moves the callers of one call to another call. */
  join(id: number, to: number): void
}

type Waiting = { resolve(user: User): void; reject(error: BaseError): void; settled(): void }

function createCalls(): Calls {
  const waiting = new Map<number, Set<Waiting>>()
  let last = 0
  const take = (id: number): Waiting[] => {
    const taken = [...(waiting.get(id) ?? [])]
    waiting.delete(id)
    for (const { settled } of taken) settled()
    return taken
  }
  const leave = (one: Waiting): number | undefined => {
    for (const [id, all] of waiting) {
      if (!all.delete(one)) continue
      if (all.size > 0) return undefined
      waiting.delete(id)
      return id
    }
    return undefined
  }
  return {
    begin(signal, onLeft) {
      last += 1
      const id = last
      const result = new Promise<User>((resolve, reject) => {
        const cancel = () => {
          const left = leave(one)
          one.settled()
          reject(new AbortedError())
          if (left !== undefined) onLeft(left)
        }
        const one: Waiting = { resolve, reject, settled: () => signal?.removeEventListener('abort', cancel) }
        waiting.set(id, new Set([one]))
        signal?.addEventListener('abort', cancel)
      })
      return { id, result }
    },
    resolve(id, user) {
      for (const one of take(id)) one.resolve(user)
    },
    reject(id, error) {
      for (const one of take(id)) one.reject(error)
    },
    join(id, to) {
      const joined = waiting.get(to) ?? new Set()
      for (const one of waiting.get(id) ?? []) joined.add(one)
      waiting.delete(id)
      waiting.set(to, joined)
    },
  }
}
