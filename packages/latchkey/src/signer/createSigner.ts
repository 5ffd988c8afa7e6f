import { hashMessage, hashTypedData } from 'viem'
import { createEmitter } from '../core/emitter/createEmitter.ts'
import type { BaseError } from '../core/errors/BaseError.ts'
import type { Platform } from '../web/platform.ts'
import { webPlatform } from '../web/webPlatform.ts'
import { signerTypes } from '../wire/headers.ts'
import { getAuthDetails } from './actions/getAuthDetails.ts'
import { getUser } from './actions/getUser.ts'
import { signRawMessage } from './actions/signRawMessage.ts'
import { toViemAccount } from './actions/toViemAccount.ts'
import { createRunner } from './createRunner.ts'
import { createCustodyClient } from './custody/createCustodyClient.ts'
import { alchemyEndpoints } from './endpoints/alchemyEndpoints.ts'
import { clientOnlyError, notAuthenticatedError, passkeyUnsupportedError, signedOutError } from './errors.ts'
import { createAuthFrame } from './frame/createAuthFrame.ts'
import type { SignerContext } from './SignerContext.ts'
import { createSessionStore } from './session/createSessionStore.ts'
import { watchExpiry } from './session/watchExpiry.ts'
import type { BundleParameters, Signer, SignerEvents, SignerParameters } from './types.ts'

export declare namespace createSigner {
  type Parameters = SignerParameters
  type ReturnType = Signer
  /** `CLIENT_ONLY` where there is no page and no `platform`. */
  type ErrorType = BaseError
}

const defaultSessionMs = 900_000
const defaultSessionKey = 'alchemy-signer-session'

/**
 * A signer whose key sits with a key-custody service. It restores the stored session, completes the sign-in whose
 * mail link this page was opened with, and follows what other tabs of the page do.
 */
export function createSigner(parameters: createSigner.Parameters): createSigner.ReturnType {
  const platform = parameters.platform ?? webPlatform()
  if (!platform) throw clientOnlyError()
  const key = parameters.sessionConfig?.sessionKey ?? defaultSessionKey
  const context = createContext(parameters, platform, key)
  const emitter = createEmitter<SignerEvents>()
  const link = platform.readLink()
  let failure: BaseError | undefined
  emitter.on('error', (error) => {
    failure = error
  })

  const expiry = watchExpiry({
    now: context.now,
    onExpired: () => {
      // Another tab may have renewed what this one sees expire.
      const session = context.store.read()
      runner.dispatch(session ? { type: 'SESSION_CHANGED', session } : { type: 'EXPIRED' })
    },
  })
  const runner = createRunner({
    context,
    emitter,
    onState(state) {
      if (state.status === 'CONNECTED' || state.status === 'AUTHENTICATING') failure = undefined
      expiry.arm(state.status === 'CONNECTED' ? state.session : null)
    },
  })
  const ignoreOthers = followOtherTabs(parameters, platform, key, () => {
    runner.dispatch({ type: 'SESSION_CHANGED', session: context.store.read() })
  })

  let loaded = false
  const load = () => {
    if (loaded) return
    loaded = true
    const bundle: BundleParameters | null = link?.bundle
      ? { type: 'email', bundle: link.bundle, orgId: link.orgId }
      : null
    runner.dispatch({ type: 'LOADED', session: context.store.read(), link: bundle })
  }
  // Later than now, so that whoever made the signer can listen from the first status on.
  queueMicrotask(load)
  let destroyed = false

  return {
    signerType: signerTypes.embedded,
    get status() {
      return runner.state().status
    },
    get user() {
      const { status, session } = runner.state()
      return status === 'CONNECTED' && session ? session.user : null
    },
    link: link ? { hasBundle: link.bundle !== undefined, isSignup: link.isSignup } : null,
    async authenticate(request) {
      if (destroyed) throw signedOutError()
      load()
      return runner.call(request)
    },
    addPasskey: async () => {
      throw passkeyUnsupportedError()
    },
    exportWallet: async () => {
      throw notAuthenticatedError()
    },
    async disconnect() {
      if (destroyed) return
      load()
      runner.dispatch({ type: 'DISCONNECT' })
      await runner.settled()
    },
    getAuthDetails: async () => getAuthDetails(context, runner),
    getUser: (email) => getUser(context, email),
    getAddress: async () => getAuthDetails(context, runner).address,
    signMessage: async (message) => signRawMessage(context, runner, hashMessage(message)),
    signTypedData: async (definition) =>
      signRawMessage(context, runner, hashTypedData(definition as Parameters<typeof hashTypedData>[0])),
    signRawMessage: (hash) => signRawMessage(context, runner, hash),
    toViemAccount: () =>
      toViemAccount({
        user: getAuthDetails(context, runner),
        signHash: (hash) => signRawMessage(context, runner, hash),
      }),
    on(event, listener) {
      const off = emitter.on(event, listener)
      present(event, listener)
      return off
    },
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

  /** Tells a new listener what is already so. */
  function present<name extends keyof SignerEvents>(event: name, listener: (...values: SignerEvents[name]) => void) {
    const tell = listener as (...values: readonly unknown[]) => void
    const { status, session } = runner.state()
    if (event === 'statusChanged') tell(status)
    else if (event === 'connected' && status === 'CONNECTED' && session) tell(session.user)
    else if (event === 'disconnected' && status === 'DISCONNECTED') tell()
    else if (event === 'error' && failure) tell(failure)
  }
}

function createContext(parameters: SignerParameters, platform: Platform, key: string): SignerContext {
  const { client, sessionConfig } = parameters
  const endpoints = client.endpoints ?? alchemyEndpoints
  const storage = sessionConfig?.storage ?? 'localStorage'
  return {
    client: createCustodyClient({ connection: client.connection, endpoints }),
    frame: createAuthFrame({ platform, endpoints, iframeConfig: client.iframeConfig }),
    store: createSessionStore({
      key,
      storage: typeof storage === 'string' ? platform.storage(storage) : storage,
      temporaryStorage: platform.storage('localStorage'),
    }),
    sessionMs: sessionConfig?.expirationTimeMs ?? defaultSessionMs,
    now: Date.now,
    newcomers: new Set(),
  }
}

/** Only writes to the local storage are heard of in other tabs. */
function followOtherTabs(parameters: SignerParameters, platform: Platform, key: string, onNews: () => void) {
  if (parameters.sessionConfig?.storage === 'sessionStorage') return () => undefined
  return platform.onStorageChange((changed) => {
    if (changed === key || changed === null) onNews()
  })
}
