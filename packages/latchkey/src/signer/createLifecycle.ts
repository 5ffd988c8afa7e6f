import { createEmitter, type Emitter } from '../core/createEmitter.ts'
import type { BaseError } from '../core/errors/BaseError.ts'
import type { Platform } from '../web/platform.ts'
import type { SignerContext } from './createContext.ts'
import { createRunner, type SignerRunner, statusChange } from './createRunner.ts'
import type { MachineState } from './machine/types.ts'
import { checkOnReturn } from './session/checkOnReturn.ts'
import { describeLink } from './session/createSessionStore.ts'
import { createSessionTimers } from './session/createSessionTimers.ts'
import { followHandOvers } from './session/followHandOvers.ts'
import { isSameSession, type Session } from './session/Session.ts'
import type { BundleParameters, Signer, SignerEvents, SignerParameters } from './types.ts'

export type Lifecycle = Pick<Signer, 'link' | 'on' | 'destroy'> & {
  runner: SignerRunner
  /** Reads the page once: stored session and mail link. */
  load(): void
  isDestroyed(): boolean
}

export declare namespace createLifecycle {
  type Parameters = {
    context: SignerContext
    platform: Platform
    sessionConfig: SignerParameters['sessionConfig']
    /** Storage key of the session. */
    key: string
  }
  type ReturnType = Lifecycle
}

/** A signer from its first look at the page to its end: the machine, its listeners, the clock and the other tabs. */
export function createLifecycle(parameters: createLifecycle.Parameters): createLifecycle.ReturnType {
  const { context, platform, sessionConfig } = parameters
  const { store } = context
  const emitter = createEmitter<SignerEvents>()
  const link = platform.readLink()
  const { confirmations, deletions } = context
  confirmations.follow(() => emitter.emit('confirmationChanged', confirmations.current()))
  deletions.follow(() => emitter.emit('deletionChanged', deletions.current()))
  const present = createPresent(context, emitter)
  const timers = createSessionTimers({
    context,
    sessionConfig,
    dispatch: (event) => runner.dispatch(event),
    onExpiring: (expiresAt) => emitter.emit('expiring', expiresAt),
  })
  const check = checkOnReturn({
    context,
    runner: () => runner,
    onEnded: (error) => emitter.emit('error', error),
  })
  const handOvers = followHandOvers({ context, runner: () => runner })
  const runner: SignerRunner = createRunner({
    context,
    emitter,
    onState(state) {
      store.rememberMail()
      present.follow(state)
      timers.follow(state)
      check.follow(state)
      handOvers.follow(state)
    },
  })
  const unfollow = followOtherTabs(parameters, runner)
  const stopChecks = platform.onReturn?.(() => void check.check())
  let life: 'new' | 'loaded' | 'destroyed' = 'new'

  return {
    runner,
    link: describeLink(link, store),
    load() {
      if (life !== 'new') return
      life = 'loaded'
      const bundle: BundleParameters | null = link?.bundle
        ? { type: 'email', bundle: link.bundle, orgId: link.orgId }
        : null
      runner.dispatch({ type: 'LOADED', session: store.read(), link: bundle })
    },
    on(event, listener) {
      const off = emitter.on(event, listener)
      const missed = { ...present.read(runner.state()), ...timers.present() }[event]
      if (missed) (listener as (...values: readonly unknown[]) => void)(...missed)
      return off
    },
    isDestroyed: () => life === 'destroyed',
    destroy() {
      if (life === 'destroyed') return
      life = 'destroyed'
      unfollow()
      stopChecks?.()
      handOvers.stop()
      emitter.clear()
      context.passkeys.endOffer()
      runner.dispatch({ type: 'DESTROY' })
    },
  }
}

/** Present state for listeners that come later; and what ends with a session. */
function createPresent(context: SignerContext, emitter: Emitter<SignerEvents>) {
  let failure: BaseError | undefined
  let inUse: Session | null = null
  emitter.on('error', (error) => {
    failure = error
  })
  return {
    follow({ status, session, reason }: MachineState) {
      // A session in use again after a failure does not take the failure back.
      if (status === 'AUTHENTICATING' || (status === 'CONNECTED' && reason !== 'resumed')) {
        context.deletions.end()
        failure = undefined
      }
      if (status === 'CONNECTED') context.passkeys.endOffer()
      const next = status === 'CONNECTED' ? session : null
      if (!isSameSession(inUse, next)) {
        context.scope.end()
        context.exportFrame.close()
        context.importFrame.close()
      }
      inUse = next
    },
    read(state: MachineState): Partial<SignerEvents> {
      const { status, session } = state
      return {
        statusChanged: statusChange(state),
        ...(status === 'CONNECTED' && session && { connected: [session.user] }),
        ...(status === 'DISCONNECTED' && { disconnected: [] }),
        ...(failure && { error: [failure] }),
      }
    },
  }
}

/** Passes on to the machine what other tabs write to the local storage. Returns a function that stops it. */
function followOtherTabs(
  { context, platform, sessionConfig, key }: createLifecycle.Parameters,
  { dispatch }: SignerRunner,
): () => void {
  const { store } = context
  if (sessionConfig?.storage === 'sessionStorage') return () => undefined
  return platform.onStorageChange((changed) => {
    // Another tab may use the mail up next.
    store.rememberMail()
    if (changed === key || changed === null) dispatch({ type: 'SESSION_CHANGED', session: store.read() })
    // A mail that was used leaves a session behind; one that was dropped leaves nothing.
    const isDropped = (changed === `${key}:temporary` || changed === null) && !store.readTemporary() && !store.read()
    if (isDropped) dispatch({ type: 'MAIL_DROPPED' })
  })
}
