import { signerTypes } from 'latchkey-protocol'
import { createEmitter } from '../core/createEmitter.ts'
import { BaseError } from '../core/errors/BaseError.ts'
import { NotAuthenticatedError } from '../signer/errors/NotAuthenticatedError.ts'
import { describeLink, openSessionStore, type SessionStore, sessionKey } from '../signer/session/createSessionStore.ts'
import type { Signer, SignerEvents, SignerParameters } from '../signer/types.ts'
import type { Link, Page } from '../web/platform.ts'
import { reloadAt } from '../web/readLink.ts'
import { accountChunk, signerChunk } from './chunks.ts'

export declare namespace createLazySigner {
  type Parameters = {
    page: Page
    parameters: SignerParameters
    /** Whether a provider shows the config. */
    isInUse: () => boolean
  }
  type ReturnType = {
    signer: Signer
    /**
     * Completes the mail link of this page, or restores the session; without either the person is signed out, and nothing is
     * loaded. After a failure it tries again.
     */
    start(): Promise<void>
    /** Loads the page again, with the link that no signer has taken. */
    reload(): void
  }
}

/** As a record, so that TypeScript misses none. */
const events: { readonly [name in keyof SignerEvents]: true } = {
  connected: true,
  disconnected: true,
  statusChanged: true,
  expiring: true,
  confirmationChanged: true,
  deletionChanged: true,
  error: true,
}

/**
 * A signer whose code is loaded by the first call that needs it. Until then it says what the first load knows: the mail
 * link, which is read and removed at once, and whether there is a stored session.
 */
export function createLazySigner(parameters: createLazySigner.Parameters): createLazySigner.ReturnType {
  const { page } = parameters
  const store = openSessionStore(parameters.parameters.sessionConfig, page)
  const link = page.readLink()
  const described = describeLink(link, store)
  const loader = createLoader(parameters, { store, link })
  const { load, made, signOutHere } = loader
  loader.emitter.on('connected', store.dropEnded)
  const present = (): Partial<SignerEvents> => ({
    statusChanged: [loader.status()],
    ...(loader.status() === 'DISCONNECTED' && { disconnected: [] }),
  })
  return {
    start: loader.start,
    reload: loader.reload,
    signer: {
      signerType: signerTypes.embedded,
      get status() {
        return made()?.status ?? loader.status()
      },
      get user() {
        return made()?.user ?? null
      },
      get confirmation() {
        return made()?.confirmation ?? null
      },
      get deletion() {
        return made()?.deletion ?? null
      },
      get expiresAt() {
        return made()?.expiresAt ?? null
      },
      get ended() {
        const signer = made()
        // What ended before the signer was loaded was read, and removed, here.
        return signer?.user ? null : (signer?.ended ?? store.ended())
      },
      link: described,
      get awaitedEmail() {
        return (made() ?? store.mail()).awaitedEmail
      },
      get acceptsCode() {
        return (made() ?? store.mail()).acceptsCode
      },
      get codeLength() {
        return (made() ?? store.mail()).codeLength
      },
      get isSignup() {
        return (made() ?? store.mail()).isSignup
      },
      ...createMethods({ load, signOutHere }, page),
      toViemAccount() {
        const signer = made()
        if (!signer) throw new NotAuthenticatedError()
        return signer.toViemAccount()
      },
      on(event, listener) {
        const signer = made()
        if (signer) return signer.on(event, listener)
        const off = loader.emitter.on(event, listener)
        const missed = present()[event]
        if (missed) (listener as (...values: readonly unknown[]) => void)(...missed)
        return off
      },
      destroy: loader.destroy,
    },
  }
}

type LoaderParts = { store: SessionStore; link: Link | null }

/** Makes the signer when it is needed, and until then has its status and listeners. */
function createLoader(parameters: createLazySigner.Parameters, { store, link }: LoaderParts) {
  const emitter = createEmitter<SignerEvents>()
  let status: 'INITIALIZING' | 'DISCONNECTED' = 'INITIALIZING'
  let made: Signer | undefined
  let making: Promise<Signer> | undefined
  let pending = link
  let isDestroyed = false

  const retire = (error: BaseError) => {
    made?.destroy()
    making = Promise.reject(error)
    making.catch(() => {})
  }
  const make = async () => {
    const { makeSigner } = await signerChunk.load()
    unfollow()
    const signer = makeSigner({ ...parameters, link: pending, retire })
    if (isDestroyed) signer.destroy()
    // Its first look at the page is a microtask away; listeners who know that the person is signed out need not hear of it.
    if (status === 'DISCONNECTED') await Promise.resolve()
    forward(signer, emitter, status)
    made = signer
    // Who signs in needs an account next.
    accountChunk.prefetch()
    return signer
  }
  const load = () => {
    making ??= make().catch((error: unknown) => {
      making = undefined
      throw error
    })
    return making
  }
  const sayDisconnected = () => {
    if (status === 'DISCONNECTED') return
    status = 'DISCONNECTED'
    emitter.emit('statusChanged', status)
    emitter.emit('disconnected')
  }
  const start = async () => {
    if (made || isDestroyed) return
    if (pending?.bundle === undefined && !store.read()) return sayDisconnected()
    await load().catch((error: unknown) => {
      if (!(error instanceof BaseError)) throw error
      emitter.emit('error', error)
    })
  }
  const unfollow = followOtherTabs(parameters, () => {
    if (store.read()) void start()
  })
  return {
    emitter,
    load,
    start,
    made: () => made,
    status: () => status,
    reload: () => reloadAt(made ? undefined : pending?.address),
    signOutHere(cause: unknown): never {
      store.clear()
      store.clearTemporary()
      pending = null
      sayDisconnected()
      throw signedOutHere(cause)
    },
    destroy() {
      isDestroyed = true
      unfollow()
      emitter.clear()
      made?.destroy()
    },
  }
}

/** Methods that load the signer and do no more; true: the press must still count then. A record, so that TypeScript misses none. */
const passedOn: { readonly [name in keyof PassedOn]: boolean } = {
  addPasskey: true,
  setEmail: true,
  deleteAccount: true,
  listAuthenticators: false,
  removeAuthenticator: false,
  listSessions: false,
  revokeSessions: false,
  exportWallet: false,
  sealWallet: false,
  moveWallet: false,
  importWallet: false,
  getAuthDetails: false,
  lookUpUser: false,
  getUser: false,
  getAddress: false,
  signMessage: false,
  signTypedData: false,
  signTransaction: false,
  signRawMessage: false,
}

type PassedOn = Omit<AsyncMethods, 'authenticate' | 'disconnect'>

type AsyncMethods = Omit<
  Signer,
  | 'signerType'
  | 'status'
  | 'user'
  | 'confirmation'
  | 'deletion'
  | 'expiresAt'
  | 'ended'
  | 'link'
  | 'awaitedEmail'
  | 'acceptsCode'
  | 'codeLength'
  | 'isSignup'
  | 'toViemAccount'
  | 'on'
  | 'destroy'
>

type Loader = Pick<ReturnType<typeof createLoader>, 'load' | 'signOutHere'>

/** Each loads the signer first. */
function createMethods({ load, signOutHere }: Loader, page: Page): AsyncMethods {
  const loadForPrompt = async () => {
    const wasPressed = page.isPressed?.()
    const signer = await load()
    if (wasPressed && page.isPressed?.() === false) throw (await signerChunk.load()).pressNeeded()
    return signer
  }
  const loadFor = (isPrompt: boolean) => (isPrompt ? loadForPrompt : load)()
  const later = Object.entries(passedOn).map(([name, isPrompt]) => [
    name,
    async (...given: readonly never[]) => {
      const method = (await loadFor(isPrompt))[name as keyof PassedOn] as (...given: readonly never[]) => unknown
      return method(...given)
    },
  ])
  return {
    ...(Object.fromEntries(later) as PassedOn),
    async authenticate(request) {
      const isPrompt = request.type === 'passkey' && (request.createNew || request.mediation !== 'conditional')
      return (await loadFor(isPrompt)).authenticate(request)
    },
    disconnect: async () => (await load().catch(signOutHere)).disconnect(),
  }
}

/** Passes the signer's events on. What listeners know already, because `status` is its present one, is left out. */
function forward(
  signer: Signer,
  { emit }: Pick<ReturnType<typeof createEmitter<SignerEvents>>, 'emit'>,
  status: string,
) {
  let isKnown = signer.status === status
  const pass = <name extends keyof SignerEvents>(name: name) =>
    signer.on(name, (...values) => {
      if (!isKnown) emit(name, ...values)
    })
  for (const name of Object.keys(events) as (keyof SignerEvents)[]) pass(name)
  isKnown = false
}

/** Another tab may sign in before anything is loaded here. */
function followOtherTabs({ page, parameters }: createLazySigner.Parameters, onChange: () => void): () => void {
  const { sessionConfig } = parameters
  if (sessionConfig?.storage === 'sessionStorage') return () => undefined
  const key = sessionKey(sessionConfig)
  return page.onStorageChange((changed) => {
    if (changed === key || changed === null) onChange()
  })
}

/** Service and frame are reached by the signer's code only. */
function signedOutHere(cause: unknown): BaseError {
  return new BaseError('Signed out in this browser only.', {
    code: 'CHUNK_FAILED',
    cause,
    metaMessages: ['The service ends the session at its time.'],
  })
}
