import { useEffect, useMemo, useReducer, useRef } from 'react'
import { BaseError } from '../../core/errors/BaseError.ts'
import type { AuthParameters, Signer } from '../../signer/types.ts'
import { getSigner, watchSigner } from '../../wallet/actions/signer.ts'
import type { LatchkeyConfig } from '../../wallet/store/types.ts'
import { requireSigner } from '../query/requireSigner.ts'
import { type AuthEvent, type AuthState, authMachine, initialAuthState, type PasskeyRequest } from './authMachine.ts'
import type { AuthUiConfig } from './uiConfig.ts'

export type AuthFlow = {
  state: AuthState
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
  /** Makes a passkey, and a new account with it. */
  createPasskey: () => void
  retry: () => void
  /** Adds a passkey to the account that has just signed up. */
  addPasskey: () => void
  /** Signs the same person in again, and comes back to the passkey. */
  signInAgain: () => void
  skip: () => void
}

/** Joins the dialog's machine to the signer: the signer's news go in as events, the dialog's wishes go out as calls. */
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

  const calls = useMemo(() => makeCalls(config, dispatch, () => latest.current), [config])

  return useMemo(() => ({ state, ...calls }), [state, calls])
}

type Dispatch = (event: AuthEvent) => void
type Latest = { state: AuthState; auth: AuthUiConfig; opensItself: () => boolean }

function makeCalls(config: LatchkeyConfig, dispatch: Dispatch, latest: () => Latest): Omit<AuthFlow, 'state'> {
  const { authenticate, giveUp } = makeSignIn(config, dispatch)
  const emailInUse = () => getSigner(config)?.user?.email
  const askPasskey = (request: PasskeyRequest) => {
    dispatch({ type: 'passkeyAsked', request })
    authenticate(request)
  }
  return {
    open: () => dispatch({ type: 'opened', email: emailInUse() }),
    close: () => {
      dispatch({ type: 'closed' })
      giveUp()
    },
    back: () => {
      dispatch({ type: 'back' })
      giveUp()
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
    passkey: () => askPasskey({ type: 'passkey', createNew: false }),
    createPasskey: () =>
      askPasskey({ type: 'passkey', createNew: true, username: passkeyName(location.hostname, new Date()) }),
    retry: () => {
      const { step } = latest().state
      if (step.type === 'passkey_verify') askPasskey(step.request)
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
    signInAgain: () => dispatch({ type: 'signInAsked', email: emailInUse() }),
    skip: () => dispatch({ type: 'skipped' }),
  }
}

/**
 * Signs in. Whoever is signed in already stays so until the new sign-in is complete, and again when they give it up;
 * a first one goes on waiting for its mail.
 */
function makeSignIn(config: LatchkeyConfig, dispatch: Dispatch) {
  let again: AbortController | undefined
  return {
    async authenticate(request: AuthParameters, failure: 'failed' | 'codeFailed' = 'failed') {
      try {
        const signer = requireSigner(config)
        if (signer.user) again = new AbortController()
        else if (signer.status === 'DISCONNECTED') again = undefined
        await signer.authenticate({ ...request, signal: again?.signal })
      } catch (error) {
        report(error, failure, dispatch)
      }
    },
    giveUp() {
      again?.abort()
      again = undefined
    },
  }
}

function bindSigner(signer: Signer, dispatch: Dispatch, latest: () => Latest): () => void {
  const isStarting = signer.status === 'INITIALIZING' || signer.status === 'AUTHENTICATING'
  const isLinkOffered = () => isOffered(latest(), signer.link?.isSignup)
  if (signer.link?.hasBundle && isStarting && latest().opensItself())
    dispatch({ type: 'linkOpened', createPasskeyAfter: isLinkOffered(), wasAskedHere: signer.link.wasAskedHere })
  let sessionEnd: number | null = null
  let isGoingBack = false
  const offs = [
    signer.on('statusChanged', (status) => {
      if (status === 'AWAITING_EMAIL_AUTH' && isLinkOffered()) dispatch({ type: 'opened' })
      // The same session as before tells a sign-in that failed from one that is complete.
      const isReturn = status === 'CONNECTED' && (isGoingBack || signer.expiresAt === sessionEnd)
      if (status === 'CONNECTED') sessionEnd = signer.expiresAt
      if (status === 'CONNECTED' || status === 'DISCONNECTED') isGoingBack = false
      dispatch(isReturn ? { type: 'returned' } : { type: 'statusChanged', status, acceptsCode: signer.acceptsCode })
    }),
    signer.on('error', (error) => {
      // A link that failed leads back to the stored session, if there is one.
      isGoingBack = signer.status === 'INITIALIZING' || signer.status === 'CONNECTED'
      report(error, 'signerFailed', dispatch)
    }),
  ]
  return () => {
    for (const off of offs) off()
  }
}

/** Whether a passkey is to be offered at the end of what is, or is not, a sign-up. */
function isOffered({ auth }: Latest, isSignup = false): boolean {
  return isSignup && auth.addPasskeyOnSignup === true
}

function report(error: unknown, type: 'failed' | 'signerFailed' | 'codeFailed', dispatch: Dispatch): void {
  const code = error instanceof BaseError ? error.code : undefined
  // A newer call has taken this one's place, such as Resend.
  if (code === 'SUPERSEDED') return
  if (code === 'ABORTED') {
    dispatch({ type: 'aborted' })
    return
  }
  console.error(error)
  dispatch({ type, cause: error })
}

/**
 * The name under which a device lists the passkey of a new account. Nobody has told theirs yet, so it says where and
 * when: `wallet.example.com, 21 Nov 2026, 10:31`.
 */
export function passkeyName(host: string, now: Date): string {
  return `${host}, ${now.toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' })}`
}
