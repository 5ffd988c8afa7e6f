import { type Chunk, createChunk } from '../../core/createChunk.ts'
import { BaseError } from '../../core/errors/BaseError.ts'
import type { Link, Succession } from '../../web/platform.ts'
import { webPlatform } from '../../web/webPlatform.ts'
import { authenticate, disconnect, lookUpUser } from '../actions/authenticate.ts'
import { getActiveSession } from '../actions/getActiveSession.ts'
import { addPasskey, listAuthenticators } from '../actions/passkeys.ts'
import { listSessions, revokeSessions } from '../actions/sessions.ts'
import {
  signMessage,
  signRawMessage,
  signTransaction,
  signTypedData,
  signUserOperation,
  toViemAccount,
} from '../actions/signing.ts'
import type { ObservableState } from '../createSignerState.ts'
import { ClientOnlyError } from '../errors/ClientOnlyError.ts'
import { type SessionStore, sessionKey } from '../session/createSessionStore.ts'
import { isSameSession, type Session } from '../session/Session.ts'
import type { SessionConfig, SignerParameters } from '../types.ts'
import { checkOnReturn } from './checkOnReturn.ts'
import { createContext, type SignerContext } from './createContext.ts'
import { createSessionTimers } from './createSessionTimers.ts'
import { followHandOvers } from './followHandOvers.ts'
import type { BundleRequest, MachineState } from './machine/types.ts'
import { runMachine, type SignerRunner } from './runMachine.ts'

const exportChunk = /* @__PURE__ */ createChunk({ name: 'export', import: () => import('../actions/exportWallet.ts') })
const editsChunk = /* @__PURE__ */ createChunk({ name: 'edits', import: () => import('../actions/edits.ts') })
const providersChunk = /* @__PURE__ */ createChunk({
  name: 'providers',
  import: () => import('../actions/providers.ts'),
})
const factorsChunk = /* @__PURE__ */ createChunk({
  name: 'factors',
  import: () => import('../actions/multiFactors.ts'),
})
const identifyChunk = /* @__PURE__ */ createChunk({
  name: 'identify',
  import: () => import('../actions/identify.ts'),
})
const moveChunk = /* @__PURE__ */ createChunk({ name: 'move', import: () => import('../actions/moveWallet.ts') })
const paperKeyChunk = /* @__PURE__ */ createChunk({ name: 'export', import: () => import('../actions/paperKey.ts') })
const importChunk = /* @__PURE__ */ createChunk({ name: 'import', import: () => import('../actions/importWallet.ts') })

/** The signer's actions. Rarely used ones are loaded on first use. */
const actions = {
  authenticate,
  disconnect,
  lookUpUser,
  getAuthDetails: async (runner: SignerRunner) => getActiveSession(runner).user,
  getAddress: async (runner: SignerRunner) => getActiveSession(runner).user.address,
  addPasskey,
  listAuthenticators,
  removeAuthenticator: later(editsChunk, (edits) => edits.removeAuthenticator),
  listProviders: later(providersChunk, (providers) => providers.listProviders),
  addProvider: later(providersChunk, (providers) => providers.addProvider),
  removeProvider: later(providersChunk, (providers) => providers.removeProvider),
  getMfaFactors: later(factorsChunk, (factors) => factors.getMfaFactors),
  addMfa: later(factorsChunk, (factors) => factors.addMfa),
  verifyMfa: later(factorsChunk, (factors) => factors.verifyMfa),
  removeMfa: later(factorsChunk, (factors) => factors.removeMfa),
  validateMultiFactors: async (runner: SignerRunner, given: { multiFactorCode: string }) =>
    (await factorsChunk.load()).validateMultiFactors(runner, given),
  setEmail: later(editsChunk, (edits) => edits.setEmail),
  deleteAccount: later(editsChunk, (edits) => edits.deleteAccount),
  addAgentKey: later(editsChunk, (edits) => edits.addAgentKey),
  getSpendingRules: later(editsChunk, (edits) => edits.getSpendingRules),
  setSpendingRules: later(editsChunk, (edits) => edits.setSpendingRules),
  listSessions,
  revokeSessions,
  exportWallet: later(exportChunk, (exports) => exports.exportWallet),
  sealWallet: later(exportChunk, (exports) => exports.sealWallet),
  moveWallet: later(moveChunk, (moves) => moves.moveWallet),
  createPaperKey: later(paperKeyChunk, (exports) => exports.createPaperKey),
  importWallet: later(importChunk, (imports) => imports.importWallet),
  signMessage,
  signTypedData,
  signUserOperation,
  signTransaction,
  signRawMessage,
  toViemAccount,
  getAccessToken: later(identifyChunk, (identify) => identify.getAccessToken),
  stampWhoami: later(identifyChunk, (identify) => identify.stampWhoami),
}

/** Wraps an action of a lazily loaded module for a signed-in user. */
function later<module, given extends readonly unknown[], result>(
  chunk: Chunk<module>,
  pick: (module: module) => (runner: SignerRunner, ...given: given) => Promise<result>,
): (runner: SignerRunner, ...given: given) => Promise<result> {
  return async (runner, ...given) => {
    getActiveSession(runner)
    return pick(await chunk.load())(runner, ...given)
  }
}

/** Signer with loaded code: the running machine and its actions. */
export type LoadedSigner = SignerRunner & {
  actions: typeof actions
  /** Starts the machine with the page's e-mail link or the stored session. */
  begin(link: Link | null): void
  destroy(): void
  /** Returns the error for a passkey prompt without user activation. */
  pressNeeded(): BaseError
}

export declare namespace createRunner {
  type Parameters = {
    parameters: SignerParameters & { isInUse?: (() => boolean) | undefined }
    state: ObservableState
    store: SessionStore
    /** Ends the signer. All later calls fail with this error. */
    retire(error: BaseError): void
  }
  type ReturnType = LoadedSigner
}

/** Runs a signer: the machine, the timers and the sync with other tabs. */
export function createRunner(given: createRunner.Parameters): createRunner.ReturnType {
  const { parameters, state, store } = given
  const platform = parameters.platform ?? webPlatform()
  if (!platform) throw new ClientOnlyError()
  const context = createContext({ parameters, platform, store, succession: createSuccession(given) })
  const { confirmations, deletions } = context
  confirmations.follow(() => {
    state.write({ confirmation: confirmations.current() })
    state.emit('confirmationChanged', confirmations.current())
  })
  deletions.follow(() => {
    state.write({ deletion: deletions.current() })
    state.emit('deletionChanged', deletions.current())
  })
  const parts: Follower[] = []
  const runner = runMachine({
    context,
    state,
    onState(machine) {
      store.rememberMail()
      for (const part of parts) part.follow(machine)
    },
  })
  context.factor.onAsked = (isAwaited) =>
    runner.dispatch({ type: 'FACTOR', job: runner.state().job?.id ?? 0, isAwaited })
  const timers = createSessionTimers({
    context,
    sessionConfig: parameters.sessionConfig,
    dispatch: runner.dispatch,
    onExpiring(expiring) {
      const isNew = expiring !== state.read().expiring
      state.write({ expiring })
      if (isNew && expiring !== null) state.emit('expiring', expiring)
    },
  })
  const check = checkOnReturn(runner, runner.report)
  const handOvers = followHandOvers(runner)
  parts.push(followSession(context, state), timers, check, handOvers)
  const unfollow = followOtherTabs(parameters, platform.onStorageChange, runner)
  const stopChecks = platform.onReturn?.(() => void check.check())

  return {
    ...runner,
    actions,
    pressNeeded,
    begin(link) {
      const session = store.read()
      const bundle: BundleRequest | null = link?.bundle
        ? { type: 'email', bundle: link.bundle, orgId: link.orgId, isOauth: link.isOauth }
        : null
      if (runner.state().status === 'INITIALIZING') runner.dispatch({ type: 'LOADED', session, link: bundle })
      // The user signed out before the code was loaded, and another tab has signed in since then.
      else if (session) runner.dispatch({ type: 'SESSION_CHANGED', session })
    },
    destroy() {
      if (runner.isDestroyed()) return
      unfollow()
      stopChecks?.()
      handOvers.stop()
      context.passkeys.endOffer()
      runner.dispatch({ type: 'DESTROY' })
    },
  }
}

type Follower = { follow(state: MachineState): void }

function followSession(context: SignerContext, state: ObservableState): Follower {
  let inUse: Session | null = null
  return {
    follow({ status, reason }) {
      // After a failed sign-in, the machine resumes the previous session. The failure must then stay visible.
      if (status === 'AUTHENTICATING' || (status === 'CONNECTED' && reason !== 'resumed')) {
        context.deletions.end()
        state.write({ failure: null })
      }
      if (status === 'CONNECTED') context.passkeys.endOffer()
      const next = state.session()
      if (!isSameSession(inUse, next)) {
        context.scope.end()
        context.exportFrame.close()
        context.importFrame.close()
      }
      inUse = next
    },
  }
}

/** Notifies the machine when another tab writes to the local storage. Returns an unsubscribe function. */
function followOtherTabs(
  { sessionConfig }: SignerParameters,
  onStorageChange: (listener: (key: string | null) => void) => () => void,
  { context: { store }, dispatch }: SignerRunner,
): () => void {
  if (sessionConfig?.storage === 'sessionStorage') return () => undefined
  const key = sessionKey(sessionConfig)
  return onStorageChange((changed) => {
    // Copies the last e-mail to memory, because another tab may use its link and so remove it from the storage.
    store.rememberMail()
    if (changed === key || changed === null) dispatch({ type: 'SESSION_CHANGED', session: store.read() })
    // Using the link also stores a session. If neither session remains, another tab has signed out.
    const isDropped = (changed === `${key}:temporary` || changed === null) && !store.readTemporary() && !store.read()
    if (isDropped) dispatch({ type: 'MAIL_DROPPED' })
  })
}

/** Lets a later config's signer replace this one if both use the same stored session and this one is not in use. */
function createSuccession({ parameters, retire }: createRunner.Parameters): Succession | undefined {
  const { isInUse, sessionConfig } = parameters
  if (!isInUse) return undefined
  return {
    session: sessionName(sessionConfig),
    giveWay() {
      if (isInUse()) return false
      retire(replaced())
      return true
    },
  }
}

function sessionName(sessionConfig: SessionConfig | undefined): string {
  const { storage = 'localStorage' } = sessionConfig ?? {}
  return `${typeof storage === 'string' ? storage : 'own'}:${sessionKey(sessionConfig)}`
}

function replaced(): BaseError {
  return new BaseError('A newer config on this page has replaced this one.', {
    code: 'SIGNER_CONFLICT',
    metaMessages: ['Use the newer one. Create one config per page, outside of components.'],
  })
}

/** Returns the error for a passkey prompt whose user activation expired while the code was loading. */
function pressNeeded(): BaseError {
  return new BaseError('Press again to use your passkey.', {
    code: 'PASSKEY_PRESS_NEEDED',
    metaMessages: ['Loading took too long: the browser no longer accepts the first press.'],
  })
}
