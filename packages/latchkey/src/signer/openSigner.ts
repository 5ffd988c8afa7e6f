import { signerTypes } from 'latchkey-protocol'
import { createChunk } from '../core/createChunk.ts'
import { BaseError } from '../core/errors/BaseError.ts'
import type { Link, Page } from '../web/platform.ts'
import { createSignerState, type ObservableState } from './createSignerState.ts'
import { NotAuthenticatedError } from './errors/NotAuthenticatedError.ts'
import type { LoadedSigner } from './runner/createRunner.ts'
import { describeLink, openSessionStore, type SessionStore, sessionKey } from './session/createSessionStore.ts'
import type { AuthParameters, Signer, SignerParameters } from './types.ts'

/** Loads the signer's code: machine, jobs, frames and API clients. */
export const runnerChunk = /* @__PURE__ */ createChunk({
  name: 'signer',
  import: () => import('./runner/createRunner.ts'),
})

export declare namespace openSigner {
  type Parameters = SignerParameters & {
    page: Page
    /**
     * Whether a provider uses the signer's config. An unused signer is replaced by a later signer of the same session.
     */
    isInUse?: (() => boolean) | undefined
    /** Called when the signer's code is loaded. */
    onLoaded?: (() => void) | undefined
  }
  type ReturnType = {
    signer: Signer
    /**
     * Completes this page's e-mail link, or restores the session. Without either it signs out and loads nothing.
     * Resolves to the error if the code could not be loaded; the next call retries.
     */
    start(): Promise<BaseError | undefined>
  }
}

/**
 * Creates a signer whose code is loaded by the first call that needs it. Until then it knows the e-mail link, which it
 * reads and removes immediately, and whether a session is stored.
 */
export function openSigner(parameters: openSigner.Parameters): openSigner.ReturnType {
  const { page } = parameters
  const store = openSessionStore(parameters.sessionConfig, page)
  const state = createSignerState()
  state.on('connected', store.dropEnded)
  const link = page.readLink()
  const loader = createLoader(parameters, { store, state, link })
  return {
    start: loader.start,
    signer: {
      signerType: signerTypes.embedded,
      get status() {
        return state.read().machine.status
      },
      get user() {
        return state.session()?.user ?? null
      },
      get confirmation() {
        return state.read().confirmation
      },
      get deletion() {
        return state.read().deletion
      },
      get expiresAt() {
        return state.session()?.expirationDateMs ?? null
      },
      get ended() {
        return state.session() ? null : store.ended()
      },
      link: describeLink(link, store),
      get awaitedEmail() {
        return store.mail().awaitedEmail
      },
      get acceptsCode() {
        return store.mail().acceptsCode
      },
      get codeLength() {
        return store.mail().codeLength
      },
      get isSignup() {
        return store.mail().isSignup
      },
      ...createMethods(loader, page),
      on: state.on,
      destroy: loader.destroy,
    },
  }
}

type Parts = { store: SessionStore; state: ObservableState; link: Link | null }

/** Loads the signer's code when it is needed. */
function createLoader(parameters: openSigner.Parameters, { store, state, link }: Parts) {
  let runner: LoadedSigner | undefined
  let making: Promise<LoadedSigner> | undefined
  const held = holdLink(parameters.page, state, link)
  let isDestroyed = false

  const destroy = () => {
    isDestroyed = true
    unfollow()
    held.stop()
    state.clear()
    runner?.destroy()
    signOut()
  }
  const make = async () => {
    const { createRunner } = await runnerChunk.load()
    unfollow()
    const retire = (error: BaseError) => {
      destroy()
      runner = undefined
      making = Promise.reject(error)
      making.catch(() => {})
    }
    runner = createRunner({ parameters, store, state, retire })
    if (isDestroyed) runner.destroy()
    else runner.begin(held.read())
    parameters.onLoaded?.()
    return runner
  }
  const load = () => {
    making ??= make().catch((error: unknown) => {
      making = undefined
      throw error
    })
    return making
  }
  const signOut = () => {
    if (runner || state.read().machine.status === 'DISCONNECTED') return
    state.write({ machine: { status: 'DISCONNECTED', session: null, reason: null } })
    state.emit('statusChanged', 'DISCONNECTED')
    state.emit('disconnected')
  }
  const start = async () => {
    if (runner || isDestroyed) return undefined
    if (held.read()?.bundle === undefined && !store.read()) return void signOut()
    return load().then(
      () => undefined,
      (error: unknown) => {
        if (!(error instanceof BaseError)) throw error
        state.emit('error', error)
        return error
      },
    )
  }
  const unfollow = followOtherTabs(parameters, store, start)
  return {
    start,
    load,
    destroy,
    loaded: () => runner,
    /** Signs out locally when the code cannot be loaded. */
    signOutHere(cause: unknown): never {
      if (isDestroyed) throw cause
      store.clear()
      store.clearTemporary()
      held.drop()
      signOut()
      throw signedOutHere(cause)
    },
  }
}

type Loader = Pick<ReturnType<typeof createLoader>, 'load' | 'loaded' | 'signOutHere'>

type Actions = LoadedSigner['actions']
type Action = (runner: LoadedSigner, ...given: unknown[]) => unknown
/** Method of the signer that passes its arguments to the action `name`. */
type Method<name extends keyof Actions> = Actions[name] extends (
  runner: LoadedSigner,
  ...given: infer given
) => infer result
  ? (...given: given) => result
  : never

const silent = [
  'lookUpUser',
  'getAuthDetails',
  'getAddress',
  'getSpendingRules',
  'getAccessToken',
  'listAuthenticators',
  'listProviders',
  'listSessions',
  'revokeSessions',
  'removeAuthenticator',
  'removeProvider',
  'addProvider',
  'exportWallet',
  'sealWallet',
  'moveWallet',
  'importWallet',
  'createPaperKey',
  'signMessage',
  'signRawMessage',
  'signUserOperation',
  'signTransaction',
  'stampWhoami',
] as const

/** Methods that show a passkey prompt. */
const prompting = ['addPasskey', 'setEmail', 'deleteAccount', 'addAgentKey', 'setSpendingRules'] as const

/** Returns the signer's methods. Each loads the signer's code first, and starts synchronously once it is loaded. */
function createMethods({ load, loaded, signOutHere }: Loader, page: Page) {
  /** The browser shows a prompt only while the user activation lasts. */
  const loadForPrompt = async () => {
    const wasPressed = page.isPressed?.()
    const runner = loaded() ?? (await load())
    if (wasPressed && page.isPressed?.() === false) throw runner.pressNeeded()
    return runner
  }
  const delegate =
    <name extends keyof Actions>(name: name, isPrompt?: (request?: unknown) => boolean) =>
    async (...given: unknown[]) => {
      const runner = isPrompt?.(given[0]) ? await loadForPrompt() : (loaded() ?? (await load()))
      return (runner.actions[name] as Action)(runner, ...given)
    }
  const delegateAll = <name extends keyof Actions>(names: readonly name[], isPrompt?: () => boolean) =>
    Object.fromEntries(names.map((name) => [name, delegate(name, isPrompt)])) as {
      [key in name]: Method<key>
    }
  return {
    ...delegateAll(silent),
    ...delegateAll(prompting, () => true),
    authenticate: delegate('authenticate', asksForPasskey) as Method<'authenticate'>,
    getUser: delegate('lookUpUser') as Method<'lookUpUser'>,
    // TypeScript loses the type parameters of a generic function.
    signTypedData: delegate('signTypedData') as Signer['signTypedData'],
    disconnect: async () => {
      const runner = loaded() ?? (await load().catch(signOutHere))
      return runner.actions.disconnect(runner)
    },
    toViemAccount() {
      const runner = loaded()
      if (!runner) throw new NotAuthenticatedError()
      return runner.actions.toViemAccount(runner)
    },
  } satisfies Partial<Signer>
}

function asksForPasskey(given: unknown): boolean {
  // Untyped callers may omit the argument.
  const request = given as AuthParameters | undefined
  return request?.type === 'passkey' && (request.createNew || request.mediation !== 'conditional')
}

/** Starts the signer when another tab signs in before the code is loaded here. Returns an unsubscribe function. */
function followOtherTabs(
  { page, sessionConfig }: openSigner.Parameters,
  { read }: SessionStore,
  start: () => Promise<unknown>,
): () => void {
  const key = sessionKey(sessionConfig)
  return page.onStorageChange((changed) => {
    if ((changed === key || changed === null) && read()) void start()
  })
}

/** Codes of failures after which the same link may still sign in. */
const unreachable = new Set<string>(['NETWORK_UNREACHABLE', 'TIMEOUT', 'FRAME_TIMEOUT', 'CHUNK_FAILED'])

/** Holds the page's link, also over a reload, until it has signed in or was refused. */
function holdLink(page: Page, { on, read }: ObservableState, link: Link | null) {
  let unused = link
  const drop = () => {
    unused = null
  }
  on('connected', drop)
  on('error', ({ code }) => unreachable.has(code) || drop())
  on('disconnected', () => read().failure || drop())
  const stop = link ? page.keepLink?.(() => unused) : undefined
  return { read: () => unused, drop, stop: () => stop?.() }
}

/** The service and the frame are unreachable, because the code that calls them could not be loaded. */
function signedOutHere(cause: unknown): BaseError {
  return new BaseError('Signed out in this browser only.', {
    code: 'CHUNK_FAILED',
    cause,
    metaMessages: ['The service ends the session when it expires.'],
  })
}
