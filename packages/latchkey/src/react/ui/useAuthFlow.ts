import { useEffect, useMemo, useReducer, useRef, useSyncExternalStore } from 'react'
import { deviceName } from '../../core/deviceName.ts'
import { BaseError } from '../../core/errors/BaseError.ts'
import { passkeyName } from '../../core/passkeyName.ts'
import { requireSigner } from '../../query/requireSigner.ts'
import type { AuthParameters, EndedSession, PendingConfirmation, PendingDeletion, Signer } from '../../signer/types.ts'
import { getSigner, watchSigner } from '../../wallet/actions/signer.ts'
import type { LatchkeyConfig } from '../../wallet/store/types.ts'
import { useSignerPart } from '../query/useSignerPart.ts'
import {
  type AuthEvent,
  type AuthState,
  type AuthStep,
  type AwaitedMail,
  authMachine,
  initialAuthState,
  type PasskeyRequest,
} from './authMachine.ts'
import { isAdding, isOffer } from './offers.ts'
import { type AuthUiConfig, defaultSections } from './uiConfig.ts'

export type AuthFlow = {
  state: AuthState
  /** What the step waits for: the person's mail. */
  confirmation?: PendingConfirmation | null | undefined
  deletion?: PendingDeletion | null | undefined
  /** Why the person is signed out, where they did not do it. */
  ended?: EndedSession | null | undefined
  open: () => void
  close: () => void
  back: () => void
  submit: (email: string) => void
  resend: () => void
  resendShown: () => void
  /** Signs in with the code of the mail. */
  submitCode: (code: string) => void
  /** Signs in with a passkey; where none is at hand, leads to a new account. */
  passkey: () => void
  /** Signs in with any passkey, such as one of another device. */
  otherPasskey: () => void
  /** Asks for the name of a new account by passkey. */
  nameNewPasskey: () => void
  /** Creates a passkey, and a new account with it. Without a name, under one that says where and when. */
  createPasskey: (name?: string) => void
  retry: () => void
  /** Adds a passkey to the account that has just signed up. */
  addPasskey: () => void
  /** Gives the account that has just signed up by a passkey an address. */
  addEmail: (email: string) => void
  /** Signs the same user in again, then offers the passkey again. */
  signInAgain: () => void
  skip: () => void
  /** Takes the deletion of the account back. */
  cancelDeletion: () => void
}

/** A page with a card completes links there: its dialog does not open by itself. */
type Place = 'dialog' | 'card'

/** Connects the dialog's machine to the signer: signer events become machine events, presses become signer calls. */
export function useAuthFlow(
  config: LatchkeyConfig,
  auth: AuthUiConfig,
  opensItself: () => boolean,
  place: Place,
): AuthFlow {
  const [state, dispatch] = useReducer(authMachine, initialAuthState)
  const latest = useRef({ state, auth, opensItself, place })
  latest.current = { state, auth, opensItself, place }

  useEffect(() => {
    let unbind: (() => void) | undefined
    const bind = (signer: Signer | null | undefined) => {
      unbind?.()
      unbind = signer ? bindSigner(signer, dispatch, () => latest.current) : undefined
    }
    bind(getSigner(config))
    const unwatch = watchSigner(config)(bind)
    return () => {
      unwatch()
      unbind?.()
    }
  }, [config])

  const isComplete = state.step.type === 'complete' && !state.step.isRestored
  useEffect(() => {
    if (isComplete) latest.current.auth.onAuthSuccess?.()
  }, [isComplete])

  const actions = useMemo(() => createActions(config, dispatch, () => latest.current), [config])

  const signer = useSyncExternalStore(
    watchSigner(config),
    () => getSigner(config),
    () => null,
  )
  const confirmation = useAwaited(signer, state.step)
  const deletion = useSignerPart(signer, 'deletion')

  useAutofill(signer, { state, auth, dispatch })
  const ended = signer?.ended

  return useMemo(
    () => ({ state, confirmation, deletion, ended, ...actions }),
    [state, confirmation, deletion, ended, actions],
  )
}

/** Confirmed or given up it stays until the step is over, which may take a moment: no other step flashes up. */
function useAwaited(signer: Signer | null | undefined, step: AuthStep): PendingConfirmation | null {
  const pending = useSignerPart(signer ?? null, 'confirmation')
  const last = useRef(pending)
  last.current = isWaiting(step) ? (pending ?? last.current) : null
  return last.current
}

/** Link or code are being used, or a way in is added. What waits at any other step is something else of the page. */
function isWaiting(step: AuthStep): boolean {
  if (isOffer(step)) return isAdding(step)
  return step.type === 'email_completing' || (step.type === 'email_verify' && step.code?.isChecking === true)
}

/** While the form is idle, the e-mail field offers this site's passkeys. Another sign-in takes the offer's place. */
function useAutofill(
  signer: Signer | null | undefined,
  { state: { isOpen, step }, auth, dispatch }: { state: AuthState; auth: AuthUiConfig; dispatch: Dispatch },
): void {
  const types = (auth.sections ?? defaultSections).flat().map(({ type }) => type)
  const isWanted = isOpen && isIdleForm(step) && types.includes('email') && types.includes('passkey')
  useEffect(() => {
    // Of a person who signs in again, the passkey of another one would change the account.
    if (!signer || signer.user || !isWanted) return
    const offer = new AbortController()
    signer
      .authenticate({ type: 'passkey', createNew: false, mediation: 'conditional', signal: offer.signal })
      .catch((error: unknown) => {
        const isOver = error instanceof BaseError && offerEnds.has(error.code)
        if (!isOver) report(error, 'signerFailed', dispatch)
      })
    return () => {
      // One was picked: its sign-in goes on.
      if (signer.status !== 'AUTHENTICATING') offer.abort()
    }
  }, [signer, isWanted, dispatch])
}

/** Ends of an offer that the person does not hear of: they have pressed nothing, and the form works as before. */
const offerEnds: ReadonlySet<string> = new Set([
  'ABORTED',
  'CHUNK_FAILED',
  'PASSKEY_CANCELLED',
  'PASSKEY_FAILED',
  'PASSKEY_UNSUPPORTED',
  'SUPERSEDED',
])

/** A form that shows a failure offers nothing by itself: it may be of the passkey that was picked. */
const isIdleForm = (step: AuthStep) => step.type === 'initial' && !step.request && !step.error

type Dispatch = (event: AuthEvent) => void
type Latest = { state: AuthState; auth: AuthUiConfig; opensItself: () => boolean; place: Place }

function createActions(
  config: LatchkeyConfig,
  dispatch: Dispatch,
  latest: () => Latest,
): Omit<AuthFlow, 'state' | 'confirmation' | 'deletion' | 'ended'> {
  const { authenticate, cancel } = createSignIn(config, dispatch)
  const currentEmail = () => getSigner(config)?.user?.email
  const requestPasskey = (request: PasskeyRequest) => {
    dispatch({ type: 'passkeyAsked', request })
    authenticate(request)
  }
  const add = createAdd(config, dispatch)
  return {
    open: () => {
      const signer = getSigner(config)
      dispatch({
        type: 'opened',
        email: currentEmail() ?? signer?.ended?.email,
        mail: signer && awaitedMail(signer, latest()),
      })
    },
    close: () => {
      dispatch({ type: 'closed' })
      cancel()
    },
    back: () => {
      dispatch({ type: 'back' })
      cancel()
    },
    submit: (email) => {
      const request = { type: 'email', email } as const
      dispatch({ type: 'submitted', request })
      authenticate(request)
    },
    resend: () => {
      const { step } = latest().state
      if (step.type !== 'email_verify') return
      dispatch({ type: 'resendPressed' })
      authenticate(step.request)
    },
    resendShown: () => dispatch({ type: 'resendShown' }),
    submitCode: (code) => {
      dispatch({ type: 'codeSubmitted', createPasskeyAfter: isOffered(latest(), getSigner(config)?.isSignup) })
      authenticate({ type: 'email', code }, 'codeFailed')
    },
    passkey: async () => {
      const request = { type: 'passkey', createNew: false } as const
      dispatch({ type: 'passkeyAsked', request })
      const end = await authenticate({ ...request, mediation: 'immediate' }, 'failed', immediateEnds)
      if (end === 'PASSKEY_UNSUPPORTED') authenticate(request)
      if (end === 'PASSKEY_CANCELLED') dispatch({ type: 'noPasskeyHere', name: newName() })
    },
    otherPasskey: () => requestPasskey({ type: 'passkey', createNew: false }),
    nameNewPasskey: () => dispatch({ type: 'newPasskeyAsked', name: newName() }),
    createPasskey: (name = newName()) => requestPasskey({ type: 'passkey', createNew: true, username: name }),
    retry: () => {
      const { step } = latest().state
      if (step.type === 'passkey_verify') requestPasskey(step.request)
    },
    addPasskey: () => add((signer) => signer.addPasskey({ name: deviceName(navigator.userAgent) })),
    addEmail: (email) => add((signer) => signer.setEmail(email), email),
    signInAgain: () => dispatch({ type: 'signInAsked', email: currentEmail() }),
    skip: () => dispatch({ type: 'skipped' }),
    cancelDeletion: async () => {
      dispatch({ type: 'cancelPressed' })
      try {
        await requireSigner(config).deletion?.cancel()
        dispatch({ type: 'cancelled' })
      } catch (cause) {
        console.error(cause)
        dispatch({ type: 'cancelFailed', cause })
      }
    },
  }
}

/** Adds a way in to the account that has just signed up. */
function createAdd(config: LatchkeyConfig, dispatch: Dispatch) {
  return async (call: (signer: Signer) => Promise<unknown>, email?: string) => {
    dispatch({ type: 'addPressed', email })
    try {
      await call(requireSigner(config))
      dispatch({ type: 'added' })
    } catch (cause) {
      console.error(cause)
      dispatch({ type: 'addFailed', cause })
    }
  }
}

const newName = () => passkeyName(location.hostname, new Date())

/** How a prompt for passkeys at hand ends without one. */
const immediateEnds: readonly string[] = ['PASSKEY_UNSUPPORTED', 'PASSKEY_CANCELLED']

/**
 * Calls the signer. `cancel` ends a sign-in of a user who is signed in already, who then stays so. A first sign-in
 * keeps waiting for its mail.
 */
function createSignIn(config: LatchkeyConfig, dispatch: Dispatch) {
  let reauthentication: AbortController | undefined
  const calls = { failed: 0, codeFailed: 0 }
  return {
    /** `expected`: codes that the caller is given instead of a report. */
    async authenticate(
      request: AuthParameters,
      failure: 'failed' | 'codeFailed' = 'failed',
      expected: readonly string[] = [],
    ): Promise<string | undefined> {
      const call = ++calls[failure]
      try {
        const signer = requireSigner(config)
        if (signer.user) reauthentication = new AbortController()
        else if (signer.status === 'DISCONNECTED') reauthentication = undefined
        await signer.authenticate({ ...request, signal: reauthentication?.signal })
      } catch (error) {
        // Resend takes the call before it along, which then fails with it.
        if (call !== calls[failure]) return undefined
        if (error instanceof BaseError && expected.includes(error.code)) return error.code
        report(error, failure, dispatch)
      }
      return undefined
    },
    cancel() {
      reauthentication?.abort()
      reauthentication = undefined
    },
  }
}

/** The mail that an earlier load of this page, or another tab, asked for. */
function awaitedMail(signer: Signer, latest: Latest): AwaitedMail | null {
  const { awaitedEmail: email, codeLength, isSignup, user } = signer
  if (email === null || user) return null
  return { email, codeLength, createPasskeyAfter: isOffered(latest, isSignup) }
}

/** Signers whose link has led to its step, or to none. */
const shownBy = { dialog: new WeakSet<Signer>(), card: new WeakSet<Signer>() }

function bindSigner(signer: Signer, dispatch: Dispatch, latest: () => Latest): () => void {
  const shown = shownBy[latest().place]
  const isLinkOffered = () => isOffered(latest(), signer.link?.isSignup)
  // Once a signer. The dialog may be loaded after the link has done its work, and then has the outcome from the signer.
  if (signer.link?.hasBundle && !shown.has(signer) && latest().opensItself())
    dispatch({ type: 'linkOpened', createPasskeyAfter: isLinkOffered(), wasAskedHere: signer.link.wasAskedHere })
  shown.add(signer)
  const unsubscribes = [
    signer.on('statusChanged', (status, reason) => {
      if (status === 'AWAITING_EMAIL_AUTH' && isLinkOffered()) dispatch({ type: 'opened' })
      // In a tab that waits for its mail: by a link that was opened in another tab.
      const createPasskeyAfter = reason === 'signedIn' && isOffered(latest(), signer.isSignup)
      const askRecoveryAfter = latest().auth.addRecoveryOnSignup === true
      const { codeLength } = signer
      dispatch({ type: 'statusChanged', status, reason, codeLength, createPasskeyAfter, askRecoveryAfter })
    }),
    signer.on('error', (error) => {
      // The notice of the provider offers Retry; the link is kept, and this step goes on waiting for it.
      if (error.code !== 'CHUNK_FAILED') report(error, 'signerFailed', dispatch)
    }),
  ]
  return () => {
    for (const unsubscribe of unsubscribes) unsubscribe()
  }
}

/** Whether to offer a passkey at the end: after sign-ups only, when configured. */
function isOffered({ auth }: Latest, isSignup = false): boolean {
  return isSignup && auth.addPasskeyOnSignup === true
}

function report(error: unknown, type: 'failed' | 'signerFailed' | 'codeFailed', dispatch: Dispatch): void {
  const code = error instanceof BaseError ? error.code : undefined
  // A newer call replaced this one, such as Resend.
  if (code === 'SUPERSEDED') return
  if (code === 'ABORTED') {
    dispatch({ type: 'aborted' })
    return
  }
  console.error(error)
  dispatch({ type, cause: error })
}
