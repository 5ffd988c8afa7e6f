import { createEmitter } from '../core/createEmitter.ts'
import { BaseError } from '../core/errors/BaseError.ts'
import { NotAuthenticatedError } from '../signer/errors/NotAuthenticatedError.ts'
import { describeLink, openSessionStore, type SessionStore, sessionKey } from '../signer/session/createSessionStore.ts'
import type { Signer, SignerEvents, SignerParameters } from '../signer/types.ts'
import type { Link, Page } from '../web/platform.ts'
import { signerTypes } from '../wire/headers.ts'
import { accountChunk, signerChunk } from './chunks.ts'

export declare namespace createLazySigner {
  type Parameters = { page: Page; parameters: SignerParameters }
  type ReturnType = {
    signer: Signer
    /**
     * Completes the mail link of this page, or restores the session; without either the person is signed out, and nothing is
     * loaded. After a failure it tries again.
     */
    start(): Promise<void>
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
  const { load, made } = loader
  const present = (): Partial<SignerEvents> => ({
    statusChanged: [loader.status()],
    ...(loader.status() === 'DISCONNECTED' && { disconnected: [] }),
  })
  return {
    start: loader.start,
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
      ...createMethods(load, page),
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
  let isDestroyed = false

  const make = async () => {
    const { makeSigner } = await signerChunk.load()
    unfollow()
    const signer = makeSigner(parameters.parameters, link)
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
  const start = async () => {
    if (made || isDestroyed) return
    if (link?.bundle === undefined && !store.read()) {
      if (status === 'DISCONNECTED') return
      status = 'DISCONNECTED'
      emitter.emit('statusChanged', status)
      emitter.emit('disconnected')
      return
    }
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
    destroy() {
      isDestroyed = true
      unfollow()
      emitter.clear()
      made?.destroy()
    },
  }
}

type AsyncMethods = Omit<
  Signer,
  | 'signerType'
  | 'status'
  | 'user'
  | 'confirmation'
  | 'deletion'
  | 'expiresAt'
  | 'link'
  | 'awaitedEmail'
  | 'acceptsCode'
  | 'codeLength'
  | 'isSignup'
  | 'toViemAccount'
  | 'on'
  | 'destroy'
>

/** Each loads the signer first. */
function createMethods(load: () => Promise<Signer>, page: Page): AsyncMethods {
  const loadForPrompt = async () => {
    const wasPressed = page.isPressed?.()
    const signer = await load()
    if (wasPressed && page.isPressed?.() === false) throw pressNeeded()
    return signer
  }
  const isPrompt = (type: string, mediation?: string) => type === 'passkey' && mediation !== 'conditional'
  return {
    async authenticate(request) {
      const mediation = 'mediation' in request ? request.mediation : undefined
      const signer = await (isPrompt(request.type, mediation) ? loadForPrompt() : load())
      return signer.authenticate(request)
    },
    addPasskey: async (options) => (await loadForPrompt()).addPasskey(options),
    listAuthenticators: async () => (await load()).listAuthenticators(),
    removeAuthenticator: async (id) => (await load()).removeAuthenticator(id),
    listSessions: async () => (await load()).listSessions(),
    revokeSessions: async (ids) => (await load()).revokeSessions(ids),
    exportWallet: async (options) => (await load()).exportWallet(options),
    importWallet: async (options) => (await load()).importWallet(options),
    disconnect: async () => (await load()).disconnect(),
    getAuthDetails: async () => (await load()).getAuthDetails(),
    lookUpUser: async (email) => (await load()).lookUpUser(email),
    getUser: async (email) => (await load()).getUser(email),
    getAddress: async () => (await load()).getAddress(),
    signMessage: async (message) => (await load()).signMessage(message),
    signTypedData: async (definition) => (await load()).signTypedData(definition),
    signTransaction: async (transaction, options) => (await load()).signTransaction(transaction, options),
    signRawMessage: async (hash) => (await load()).signRawMessage(hash),
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

function pressNeeded(): BaseError {
  return new BaseError('Press once more to use your passkey.', {
    code: 'PASSKEY_PRESS_NEEDED',
    metaMessages: ['Loading took so long that the browser no longer counts the first press.'],
  })
}
