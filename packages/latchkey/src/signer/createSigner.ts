import { type Hex, hashMessage, hashTypedData } from 'viem'
import type { BaseError } from '../core/errors/BaseError.ts'
import { webPlatform } from '../web/webPlatform.ts'
import { signerTypes } from '../wire/headers.ts'
import { addPasskey } from './actions/addPasskey.ts'
import { exportWallet } from './actions/exportWallet.ts'
import { getSession } from './actions/getSession.ts'
import { getUser } from './actions/getUser.ts'
import { signRawMessage } from './actions/signRawMessage.ts'
import { toViemAccount } from './actions/toViemAccount.ts'
import { createContext } from './createContext.ts'
import { createLifecycle } from './createLifecycle.ts'
import { clientOnlyError, signedOutError } from './errors.ts'
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
  if (!platform) throw clientOnlyError()
  const key = parameters.sessionConfig?.sessionKey ?? defaultSessionKey
  const context = createContext({ parameters, platform, key })
  const { sessionConfig } = parameters
  const { runner, load, destroyed, link, on, destroy } = createLifecycle({ context, platform, sessionConfig, key })
  // Later than now, so that whoever made the signer can listen from the first status on.
  queueMicrotask(load)
  const user = () => getSession(context, runner).user
  const signHash = (hash: Hex) => signRawMessage(context, runner, hash)

  return {
    signerType: signerTypes.embedded,
    get status() {
      return runner.state().status
    },
    get user() {
      const { status, session } = runner.state()
      return status === 'CONNECTED' && session ? session.user : null
    },
    link,
    get acceptsCode() {
      return context.store.readTemporary()?.otpId !== undefined
    },
    async authenticate(request) {
      if (destroyed()) throw signedOutError()
      load()
      return runner.call(request)
    },
    addPasskey: (options) => addPasskey(context, runner, options),
    exportWallet: (options) => exportWallet(context, runner, options),
    async disconnect() {
      if (destroyed()) return
      load()
      runner.dispatch({ type: 'DISCONNECT' })
      await runner.settled()
    },
    getAuthDetails: async () => user(),
    getUser: (email) => getUser(context, email),
    getAddress: async () => user().address,
    signMessage: async (message) => signHash(hashMessage(message)),
    signTypedData: async (definition) => signHash(hashTypedData(definition as Parameters<typeof hashTypedData>[0])),
    signRawMessage: signHash,
    toViemAccount: () => toViemAccount({ user: user(), signHash }),
    on,
    destroy,
  }
}
