import { createEmitter, type Emitter } from '../core/emitter/createEmitter.ts'
import type { BaseError } from '../core/errors/BaseError.ts'
import type { Platform } from '../web/platform.ts'
import { createRunner, statusChange } from './createRunner.ts'
import { followOtherTabs } from './followOtherTabs.ts'
import type { MachineState } from './machine/types.ts'
import type { SignerContext, SignerRunner } from './SignerContext.ts'
import { createSessionTimers } from './session/createSessionTimers.ts'
import { isSameSession, type Session } from './session/Session.ts'
import type { BundleParameters, Signer, SignerEvents, SignerParameters } from './types.ts'

export type Lifecycle = Pick<Signer, 'link' | 'on' | 'destroy'> & {
  runner: SignerRunner
  /** Reads the page once: stored session and mail link. */
  load(): void
  destroyed(): boolean
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
  const { context, platform, sessionConfig, key } = parameters
  const emitter = createEmitter<SignerEvents>()
  const link = platform.readLink()
  const present = createPresent(context, emitter)
  const timers = createSessionTimers({
    context,
    sessionConfig,
    dispatch: (event) => runner.dispatch(event),
    onExpiring: (expiresAt) => emitter.emit('expiring', expiresAt),
  })
  const runner = createRunner({
    context,
    emitter,
    onState(state) {
      // What the mail said is kept here from before it is used up.
      context.store.lastMail()
      present.follow(state)
      timers.follow(state)
    },
  })
  const ignoreOthers = followOtherTabs({ context, platform, sessionConfig, key, dispatch: runner.dispatch })
  let life: 'new' | 'loaded' | 'destroyed' = 'new'

  return {
    runner,
    link: link && {
      hasBundle: link.bundle !== undefined,
      isSignup: link.isSignup,
      wasAskedHere: context.store.readTemporary() !== null,
    },
    load() {
      if (life !== 'new') return
      life = 'loaded'
      const bundle: BundleParameters | null = link?.bundle
        ? { type: 'email', bundle: link.bundle, orgId: link.orgId }
        : null
      runner.dispatch({ type: 'LOADED', session: context.store.read(), link: bundle })
    },
    on(event, listener) {
      const off = emitter.on(event, listener)
      const now = { ...present.read(runner.state()), ...timers.present() }[event]
      if (now) (listener as (...values: readonly unknown[]) => void)(...now)
      return off
    },
    destroyed: () => life === 'destroyed',
    destroy() {
      if (life === 'destroyed') return
      life = 'destroyed'
      ignoreOthers()
      emitter.clear()
      context.passkeys.endOffer()
      runner.dispatch({ type: 'DESTROY' })
    },
  }
}

/** What is so now, for listeners that come later; and what ends with a session. */
function createPresent(context: SignerContext, emitter: Emitter<SignerEvents>) {
  let failure: BaseError | undefined
  let inUse: Session | null = null
  emitter.on('error', (error) => {
    failure = error
  })
  return {
    follow({ status, session }: MachineState) {
      if (status === 'CONNECTED' || status === 'AUTHENTICATING') failure = undefined
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
