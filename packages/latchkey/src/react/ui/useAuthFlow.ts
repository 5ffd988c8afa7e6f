import { useEffect, useMemo, useReducer, useRef, useSyncExternalStore } from 'react'
import { BaseError } from '../../core/errors/BaseError.ts'
import type { AuthParameters, PendingConfirmation, PendingDeletion, Signer } from '../../signer/types.ts'
import { getSigner, watchSigner } from '../../wallet/actions/signer.ts'
import type { LatchkeyConfig } from '../../wallet/store/types.ts'
import { requireSigner } from '../query/requireSigner.ts'
import { useSignerPart } from '../query/useSignerPart.ts'
import {
  type AuthEvent,
  type AuthState,
  type AwaitedMail,
  authMachine,
  initialAuthState,
  type PasskeyRequest,
} from './authMachine.ts'
import type { AuthUiConfig } from './uiConfig.ts'

export type AuthFlow = {
  state: AuthState
  /** What waits for the person's mail. */
  confirmation?: PendingConfirmation | null | undefined
  deletion?: PendingDeletion | null | undefined
  open: () => void
  close: () => void
  back: () => void
  submit: (email: string) => void
  resend: () => void
  resendShown: () => void
  /** Signs in with the code of the mail. */
  submitCode: (code: string) => void
  /** Signs in with a passkey. */
  passkey: () => void
  /** Asks for the name of a new account by passkey. */
  nameNewPasskey: () => void
  /** Creates a passkey, and a new account with it. Without a name, under one that says where and when. */
  createPasskey: (name?: string) => void
  retry: () => void
  /** Adds a passkey to the account that has just signed up. */
  addPasskey: () => void
  /** Signs the same user in again, then offers the passkey again. */
  signInAgain: () => void
  skip: () => void
  /** Takes the deletion of the account back. */
  cancelDeletion: () => void
}

/** Connects the dialog's machine to the signer: signer events become machine events, presses become signer calls. */
export function useAuthFlow(config: LatchkeyConfig, auth: AuthUiConfig, opensItself: () => boolean): AuthFlow {
  const [state, dispatch] = useReducer(authMachine, initialAuthState)
  const latest = useRef({ state, auth, opensItself })
  latest.current = { state, auth, opensItself }

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

  const isComplete = state.step.type === 'complete'
  useEffect(() => {
    if (isComplete) latest.current.auth.onAuthSuccess?.()
  }, [isComplete])

  const actions = useMemo(() => createActions(config, dispatch, () => latest.current), [config])

  const signer = useSyncExternalStore(
    watchSigner(config),
    () => getSigner(config),
    () => null,
  )
  const confirmation = useSignerPart(signer, 'confirmation')
  const deletion = useSignerPart(signer, 'deletion')

  return useMemo(() => ({ state, confirmation, deletion, ...actions }), [state, confirmation, deletion, actions])
}

type Dispatch = (event: AuthEvent) => void
type Latest = { state: AuthState; auth: AuthUiConfig; opensItself: () => boolean }

function createActions(
  config: LatchkeyConfig,
  dispatch: Dispatch,
  latest: () => Latest,
): Omit<AuthFlow, 'state' | 'confirmation' | 'deletion'> {
  const { authenticate, cancel } = createSignIn(config, dispatch)
  const currentEmail = () => getSigner(config)?.user?.email
  const requestPasskey = (request: PasskeyRequest) => {
    dispatch({ type: 'passkeyAsked', request })
    authenticate(request)
  }
  return {
    open: () => {
      const signer = getSigner(config)
      dispatch({ type: 'opened', email: currentEmail(), mail: signer && awaitedMail(signer, latest()) })
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
    passkey: () => requestPasskey({ type: 'passkey', createNew: false }),
    nameNewPasskey: () => dispatch({ type: 'newPasskeyAsked', name: passkeyName(location.hostname, new Date()) }),
    createPasskey: (name = passkeyName(location.hostname, new Date())) =>
      requestPasskey({ type: 'passkey', createNew: true, username: name }),
    retry: () => {
      const { step } = latest().state
      if (step.type === 'passkey_verify') requestPasskey(step.request)
    },
    addPasskey: async () => {
      dispatch({ type: 'addPressed' })
      try {
        await requireSigner(config).addPasskey()
        dispatch({ type: 'added' })
      } catch (cause) {
        console.error(cause)
        dispatch({ type: 'addFailed', cause })
      }
    },
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

/**
 * Calls the signer. `cancel` ends a sign-in of a user who is signed in already, who then stays so. A first sign-in
 * keeps waiting for its mail.
 */
function createSignIn(config: LatchkeyConfig, dispatch: Dispatch) {
  let reauthentication: AbortController | undefined
  const calls = { failed: 0, codeFailed: 0 }
  return {
    async authenticate(request: AuthParameters, failure: 'failed' | 'codeFailed' = 'failed') {
      const call = ++calls[failure]
      try {
        const signer = requireSigner(config)
        if (signer.user) reauthentication = new AbortController()
        else if (signer.status === 'DISCONNECTED') reauthentication = undefined
        await signer.authenticate({ ...request, signal: reauthentication?.signal })
      } catch (error) {
        // Resend takes the call before it along, which then fails with it.
        if (call === calls[failure]) report(error, failure, dispatch)
      }
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
const shown = new WeakSet<Signer>()

function bindSigner(signer: Signer, dispatch: Dispatch, latest: () => Latest): () => void {
  const isLinkOffered = () => isOffered(latest(), signer.link?.isSignup)
  // Once a signer. The dialog may be loaded after the link has done its work, and then has the outcome from the signer.
  if (signer.link?.hasBundle && !shown.has(signer) && latest().opensItself())
    dispatch({ type: 'linkOpened', createPasskeyAfter: isLinkOffered(), wasAskedHere: signer.link.wasAskedHere })
  shown.add(signer)
  const unsubscribes = [
    signer.on('statusChanged', (status, reason) => {
      if (status === 'AWAITING_EMAIL_AUTH' && isLinkOffered()) dispatch({ type: 'opened' })
      dispatch({ type: 'statusChanged', status, reason, codeLength: signer.codeLength })
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

/**
 * The name under which a device lists the passkey of a new account. The user's name is not known yet, so it says where
 * and when: `wallet.example.com, 21 Nov 2026, 10:31`.
 */
export function passkeyName(host: string, now: Date): string {
  return `${host}, ${now.toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' })}`
}
