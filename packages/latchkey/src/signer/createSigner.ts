import type { Hex } from 'viem'
import type { BaseError } from '../core/errors/BaseError.ts'
import { webPlatform } from '../web/webPlatform.ts'
import { signerTypes } from '../wire/headers.ts'
import { addPasskey } from './actions/addPasskey.ts'
import { authenticate } from './actions/authenticate.ts'
import { disconnect } from './actions/disconnect.ts'
import { exportWallet } from './actions/exportWallet.ts'
import { getAuthDetails } from './actions/getAuthDetails.ts'
import { getUser } from './actions/getUser.ts'
import { importWallet } from './actions/importWallet.ts'
import { listAuthenticators } from './actions/listAuthenticators.ts'
import { listSessions } from './actions/listSessions.ts'
import { removeAuthenticator } from './actions/removeAuthenticator.ts'
import { revokeSessions } from './actions/revokeSessions.ts'
import { signMessage } from './actions/signMessage.ts'
import { signRawMessage } from './actions/signRawMessage.ts'
import { signTransaction } from './actions/signTransaction.ts'
import { signTypedData } from './actions/signTypedData.ts'
import { toViemAccount } from './actions/toViemAccount.ts'
import { createContext } from './createContext.ts'
import { createLifecycle, type Lifecycle } from './createLifecycle.ts'
import { ClientOnlyError, signedOutError } from './errors/authErrors.ts'
import type { SignerContext } from './SignerContext.ts'
import type { Signer, SignerParameters } from './types.ts'

export declare namespace createSigner {
  type Parameters = SignerParameters
  type ReturnType = Signer
  /** `CLIENT_ONLY` where there is no page and no `platform`. */
  type ErrorType = BaseError
}

const defaultSessionKey = 'alchemy-signer-session'

/**
 * A signer whose key sits with a key-custody service. It restores the stored session, completes the sign-in whose
 * mail link this page was opened with, and follows what other tabs of the page do.
 */
export function createSigner(parameters: createSigner.Parameters): createSigner.ReturnType {
  const platform = parameters.platform ?? webPlatform()
  if (!platform) throw new ClientOnlyError()
  const { sessionConfig } = parameters
  const key = sessionConfig?.sessionKey ?? defaultSessionKey
  const context = createContext({ parameters, platform, key })
  const life = createLifecycle({ context, platform, sessionConfig, key })
  const { runner, load, destroyed, link, on, destroy } = life
  // Later than now, so that whoever made the signer can listen from the first status on.
  queueMicrotask(load)
  const session = () => (runner.state().status === 'CONNECTED' ? runner.state().session : null)

  return {
    signerType: signerTypes.embedded,
    get status() {
      return runner.state().status
    },
    get user() {
      return session()?.user ?? null
    },
    get expiresAt() {
      return session()?.expirationDateMs ?? null
    },
    link,
    get acceptsCode() {
      return context.store.readTemporary()?.otpId !== undefined
    },
    get isSignup() {
      return context.store.lastMail()?.isNewUser === true
    },
    async authenticate(request) {
      if (destroyed()) throw signedOutError()
      load()
      return authenticate(context, runner, request)
    },
    async disconnect() {
      if (destroyed()) return
      load()
      await disconnect(runner)
    },
    ...verbs(context, life),
    on,
    destroy,
  }
}

/** What the user signed in can do. */
function verbs(context: SignerContext, { runner }: Lifecycle) {
  const signHash = (hash: Hex) => signRawMessage(context, runner, hash)
  const user = () => getAuthDetails(context, runner)
  return {
    getAuthDetails: async () => user(),
    getAddress: async () => user().address,
    getUser: (email) => getUser(context, email),
    addPasskey: (options) => addPasskey(context, runner, options),
    listAuthenticators: () => listAuthenticators(context, runner),
    removeAuthenticator: (id) => removeAuthenticator(context, runner, id),
    listSessions: () => listSessions(context, runner),
    revokeSessions: (ids) => revokeSessions(context, runner, ids),
    exportWallet: (options) => exportWallet(context, runner, options),
    importWallet: (options) => importWallet(context, runner, options),
    signMessage: (message) => signMessage(context, runner, message),
    signTypedData: (definition) => signTypedData(context, runner, definition as Parameters<typeof signTypedData>[2]),
    signTransaction: (transaction, options) => signTransaction({ transaction, ...options, signHash }),
    signRawMessage: signHash,
    toViemAccount: () => toViemAccount({ user: user(), signHash }),
  } satisfies Partial<Signer>
}
