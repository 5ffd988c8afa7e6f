import { signerTypes } from 'latchkey-protocol'
import { createChunk } from '../core/createChunk.ts'
import { BaseError } from '../core/errors/BaseError.ts'
import type { Link, Page } from '../web/platform.ts'
import type { AuthParameters } from './AuthParameters.ts'
import { createSignerState, type ObservableState } from './createSignerState.ts'
import { NotAuthenticatedError } from './errors/NotAuthenticatedError.ts'
import type { LoadedSigner } from './runner/createRunner.ts'
import { describeLink, openSessionStore, type SessionStore, sessionKey } from './session/createSessionStore.ts'
import type { Signer, SignerParameters } from './types.ts'

/** Loads the signer's code: machine, jobs, frames and API clients. */
export const runnerChunk = /* @__PURE__ */ createChunk({
  name: 'signer',
  import: () => import('./runner/createRunner.ts'),
})

export declare namespace openSigner {
  type Parameters = SignerParameters & {
    page: Page
    /**
     * Whether a provider uses the signer's config. If not, a later signer of the same session may replace this signer.
     */
    isInUse?: (() => boolean) | undefined
    onLoaded?: (() => void) | undefined
  }
  type ReturnType = {
    signer: Signer
    /**
     * Completes this page's e-mail link or restores the session. If there is neither, signs out without loading the
     * code. Resolves to an error if the code failed to load; the next call retries.
     */
    start(): Promise<BaseError | undefined>
  }
}

/**
 * Creates a signer that loads its code at the first call that needs it. Before that, the signer reads the e-mail link,
 * removes it from the page's URL, and checks whether a session is stored.
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
    /** Signs out in this browser only, because the code failed to load. */
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
/** Signer method that calls the action `name` with the same arguments. */
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
  'getMfaFactors',
  'addMfa',
  'verifyMfa',
  'removeMfa',
  'validateMultiFactors',
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

/**
 * Returns the signer's methods. Each method loads the signer's code if needed. Once the code is loaded, methods start
 * synchronously.
 */
function createMethods({ load, loaded, signOutHere }: Loader, page: Page) {
  /** Loads the code, then checks that the user activation still allows a prompt. */
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
    // TypeScript drops the type parameters of a generic function here.
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

/** Loads and starts the signer when another tab signs in. Returns an unsubscribe function. */
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

/** Error codes after which the link may still be valid. */
const unreachable = new Set<string>(['NETWORK_UNREACHABLE', 'TIMEOUT', 'FRAME_TIMEOUT', 'CHUNK_FAILED'])

/** Stores the page's link, even across a reload, until the link has signed the user in or was refused. */
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

/** Returns the error for a sign-out without the signer's code, which could not revoke the session's key. */
function signedOutHere(cause: unknown): BaseError {
  return new BaseError('Signed out in this browser only.', {
    code: 'CHUNK_FAILED',
    cause,
    metaMessages: ['The service ends the session when it expires.'],
  })
}
