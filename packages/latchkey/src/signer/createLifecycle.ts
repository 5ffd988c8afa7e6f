import { createEmitter } from '../core/emitter/createEmitter.ts'
import type { BaseError } from '../core/errors/BaseError.ts'
import type { Platform } from '../web/platform.ts'
import { createRunner } from './createRunner.ts'
import type { SignerContext, SignerRunner } from './SignerContext.ts'
import { isSameSession, type Session } from './session/Session.ts'
import { watchExpiry } from './session/watchExpiry.ts'
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
  let failure: BaseError | undefined
  let inUse: Session | null = null
  let loaded = false
  let destroyed = false
  emitter.on('error', (error) => {
    failure = error
  })
  const readSession = () => runner.dispatch({ type: 'SESSION_CHANGED', session: context.store.read() })
  const expiry = watchExpiry({
    now: context.now,
    // Another tab may have renewed what this one sees expire.
    onExpired: () => (context.store.read() ? readSession() : runner.dispatch({ type: 'EXPIRED' })),
  })
  const runner = createRunner({
    context,
    emitter,
    onState({ status, session }) {
      if (status === 'CONNECTED' || status === 'AUTHENTICATING') failure = undefined
      const present = status === 'CONNECTED' ? session : null
      if (!isSameSession(inUse, present)) {
        context.passkeys.cancel()
        context.exportFrame.close()
      }
      inUse = present
      expiry.arm(present)
    },
  })
  const ignoreOthers = followOtherTabs(sessionConfig, platform, key, readSession)

  return {
    runner,
    link: link ? { hasBundle: link.bundle !== undefined, isSignup: link.isSignup } : null,
    load() {
      if (loaded) return
      loaded = true
      const bundle: BundleParameters | null = link?.bundle
        ? { type: 'email', bundle: link.bundle, orgId: link.orgId }
        : null
      runner.dispatch({ type: 'LOADED', session: context.store.read(), link: bundle })
    },
    on(event, listener) {
      const off = emitter.on(event, listener)
      const now = present(runner, failure)[event]
      if (now) (listener as (...values: readonly unknown[]) => void)(...now)
      return off
    },
    destroyed: () => destroyed,
    destroy() {
      if (destroyed) return
      destroyed = true
      loaded = true
      ignoreOthers()
      emitter.clear()
      runner.dispatch({ type: 'DESTROY' })
      expiry.arm(null)
    },
  }
}

/** What is so already, for a new listener. */
function present(runner: SignerRunner, failure: BaseError | undefined): Partial<SignerEvents> {
  const { status, session } = runner.state()
  return {
    statusChanged: [status],
    ...(status === 'CONNECTED' && session && { connected: [session.user] }),
    ...(status === 'DISCONNECTED' && { disconnected: [] }),
    ...(failure && { error: [failure] }),
  }
}

/** Only writes to the local storage are heard of in other tabs. */
function followOtherTabs(
  sessionConfig: SignerParameters['sessionConfig'],
  platform: Platform,
  key: string,
  onNews: () => void,
): () => void {
  if (sessionConfig?.storage === 'sessionStorage') return () => undefined
  return platform.onStorageChange((changed) => {
    if (changed === key || changed === null) onNews()
  })
}
