import { signerTypes } from 'latchkey-protocol'
import { type Hex, hashMessage, hashTypedData } from 'viem'
import { createChunk } from '../core/createChunk.ts'
import type { BaseError } from '../core/errors/BaseError.ts'
import { webPlatform } from '../web/webPlatform.ts'
import { authenticate } from './actions/authenticate.ts'
import { getActiveSession } from './actions/getActiveSession.ts'
import { addPasskey, listAuthenticators } from './actions/passkeys.ts'
import { listSessions, revokeSessions } from './actions/sessions.ts'
import { signRawMessage, signTransaction, toViemAccount } from './actions/signing.ts'
import { createContext, type SignerContext } from './createContext.ts'
import { createLifecycle } from './createLifecycle.ts'
import type { SignerRunner } from './createRunner.ts'
import { ClientOnlyError, signedOutError } from './errors/authErrors.ts'
import { sessionKey } from './session/createSessionStore.ts'
import type { Signer, SignerParameters } from './types.ts'

/** What few people do, and not at once. */
const exportChunk = /* @__PURE__ */ createChunk({ name: 'export', import: () => import('./actions/exportWallet.ts') })
const editsChunk = /* @__PURE__ */ createChunk({
  name: 'edits',
  import: () => import('./actions/edits.ts'),
})
const moveChunk = /* @__PURE__ */ createChunk({ name: 'move', import: () => import('./actions/moveWallet.ts') })
const importChunk = /* @__PURE__ */ createChunk({ name: 'import', import: () => import('./actions/importWallet.ts') })

export declare namespace createSigner {
  type Parameters = SignerParameters
  type ReturnType = Signer
  type ErrorType = BaseError
}

/**
 * A signer whose key sits with a key-custody service. It restores the stored session, completes the sign-in whose
 * mail link this page was opened with, and follows the other tabs of the page.
 *
 * @throws `CLIENT_ONLY` (there is neither a page nor a `platform`).
 *
 * @example
 * ```ts
 * import { createSigner, latchkeyEndpoints } from 'latchkey/signer'
 *
 * const signer = createSigner({
 *   client: { connection: { apiKey: 'project-key' }, endpoints: latchkeyEndpoints('http://localhost:4101') },
 * })
 * signer.on('statusChanged', (status) => console.log(status))
 * const user = await signer.authenticate({ type: 'email', email: 'ann@example.com' })
 * const signature = await signer.signMessage(`I am ${user.email}`)
 * ```
 */
export function createSigner(parameters: createSigner.Parameters): createSigner.ReturnType {
  const platform = parameters.platform ?? webPlatform()
  if (!platform) throw new ClientOnlyError()
  const { sessionConfig } = parameters
  const key = sessionKey(sessionConfig)
  const context = createContext({ parameters, platform, key })
  const { store } = context
  const { runner, load, isDestroyed, link, on, destroy } = createLifecycle({ context, platform, sessionConfig, key })
  // Later than now, so that the caller can listen from the first status on.
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
    get confirmation() {
      return context.confirmations.current()
    },
    get deletion() {
      return context.deletions.current()
    },
    get expiresAt() {
      return session()?.expirationDateMs ?? null
    },
    get ended() {
      return session() ? null : store.ended()
    },
    link,
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
    async authenticate(request) {
      if (isDestroyed()) throw signedOutError()
      load()
      return authenticate(context, runner, request)
    },
    async disconnect() {
      if (isDestroyed()) return
      load()
      context.deletions.end()
      store.dropEnded()
      runner.dispatch({ type: 'DISCONNECT' })
      await runner.settled()
    },
    ...createLookUps(context),
    ...createSessionMethods(context, runner),
    on,
    destroy,
  }
}

function createLookUps({ signerApi }: SignerContext) {
  const lookUpUser: Signer['lookUpUser'] = async (email) => {
    const orgId = await signerApi.lookup(email)
    return orgId === null ? null : { orgId }
  }
  return { lookUpUser, getUser: lookUpUser }
}

/** What the user signed in can do. */
function createSessionMethods(context: SignerContext, runner: SignerRunner) {
  const active = () => getActiveSession(context, runner)
  const signHash = async (hash: Hex) => signRawMessage(context, active(), hash)
  return {
    getAuthDetails: async () => active().user,
    getAddress: async () => active().user.address,
    addPasskey: async (options) => addPasskey(context, active(), options),
    listAuthenticators: async () => listAuthenticators(context, active()),
    removeAuthenticator: async (...given) => (await editsChunk.load()).removeAuthenticator(context, active(), ...given),
    setEmail: async (...given) => (await editsChunk.load()).setEmail(context, runner, ...given),
    deleteAccount: async (...given) => (await editsChunk.load()).deleteAccount(context, active(), ...given),
    listSessions: async () => listSessions(context, active()),
    revokeSessions: async (ids) => revokeSessions(context, active(), ids),
    async exportWallet(options) {
      active()
      const { exportWallet } = await exportChunk.load()
      return exportWallet(context, active(), options)
    },
    async sealWallet(options) {
      active()
      return (await exportChunk.load()).sealWallet(context, active(), options)
    },
    async moveWallet(...given) {
      active()
      return (await moveChunk.load()).moveWallet(context, runner, ...given)
    },
    async importWallet(options) {
      active()
      const { importWallet } = await importChunk.load()
      return importWallet(context, active(), options)
    },
    signMessage: async (message) => signHash(hashMessage(message)),
    signTypedData: async (definition) => signHash(hashTypedData(definition as Parameters<typeof hashTypedData>[0])),
    signTransaction: async (transaction, options) => signTransaction(transaction, signHash, options?.serializer),
    signRawMessage: signHash,
    toViemAccount: () => toViemAccount(active().user, signHash),
  } satisfies Partial<Signer>
}
