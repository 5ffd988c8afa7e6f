import { useEffect, useMemo, useReducer, useRef } from 'react'
import { BaseError } from '../../core/errors/BaseError.ts'
import type { Signer } from '../../signer/types.ts'
import { getSigner } from '../../wallet/actions/getSigner.ts'
import { watchSigner } from '../../wallet/actions/watchSigner.ts'
import type { LatchkeyConfig } from '../../wallet/store/types.ts'
import { signerOf } from '../query/signerOf.ts'
import { type AuthEvent, type AuthState, authMachine, initialAuthState, type PasskeyRequest } from './authMachine.ts'
import { passkeyName } from './passkey-verify/passkeyName.ts'
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

  const calls = useMemo(() => makeCalls(config, dispatch, () => latest.current.state), [config])

  return useMemo(() => ({ state, ...calls }), [state, calls])
}

type Dispatch = (event: AuthEvent) => void

function makeCalls(config: LatchkeyConfig, dispatch: Dispatch, read: () => AuthState): Omit<AuthFlow, 'state'> {
  const authenticate = async (request: Parameters<Signer['authenticate']>[0]) => {
    try {
      await signerOf(config).authenticate(request)
    } catch (error) {
      report(error, 'failed', dispatch)
    }
  }
  const askPasskey = (request: PasskeyRequest) => {
    dispatch({ type: 'passkeyAsked', request })
    authenticate(request)
  }
  return {
    open: () => dispatch({ type: 'opened' }),
    close: () => dispatch({ type: 'closed' }),
    back: () => dispatch({ type: 'back' }),
    submit: (email) => {
      const request = { type: 'email', email } as const
      dispatch({ type: 'submitted', request })
      authenticate(request)
    },
    resend: () => {
      const { step } = read()
      if (step.type !== 'email_verify') return
      dispatch({ type: 'resendPressed' })
      authenticate(step.request)
    },
    resendShown: () => dispatch({ type: 'resendShown' }),
    submitCode: async (code) => {
      dispatch({ type: 'codeSubmitted' })
      try {
        await signerOf(config).authenticate({ type: 'email', code })
      } catch (error) {
        report(error, 'codeFailed', dispatch)
      }
    },
    passkey: () => askPasskey({ type: 'passkey', createNew: false }),
    createPasskey: () =>
      askPasskey({ type: 'passkey', createNew: true, username: passkeyName(location.hostname, new Date()) }),
    retry: () => {
      const { step } = read()
      if (step.type === 'passkey_verify') askPasskey(step.request)
    },
    addPasskey: async () => {
      dispatch({ type: 'addPressed' })
      try {
        await signerOf(config).addPasskey()
        dispatch({ type: 'added' })
      } catch (cause) {
        console.error(cause)
        dispatch({ type: 'addFailed', cause })
      }
    },
    skip: () => dispatch({ type: 'skipped' }),
  }
}

function bindSigner(
  signer: Signer,
  dispatch: Dispatch,
  latest: () => { auth: AuthUiConfig; opensItself: () => boolean },
): () => void {
  const isStarting = signer.status === 'INITIALIZING' || signer.status === 'AUTHENTICATING'
  const isOffered = () => signer.link?.isSignup === true && latest().auth.addPasskeyOnSignup === true
  if (signer.link?.hasBundle && isStarting && latest().opensItself())
    dispatch({ type: 'linkOpened', createPasskeyAfter: isOffered(), wasAskedHere: signer.link.wasAskedHere })
  const offs = [
    signer.on('statusChanged', (status) => {
      if (status === 'AWAITING_EMAIL_AUTH' && isOffered()) dispatch({ type: 'opened' })
      dispatch({ type: 'statusChanged', status, acceptsCode: signer.acceptsCode })
    }),
    signer.on('error', (error) => report(error, 'signerFailed', dispatch)),
  ]
  return () => {
    for (const off of offs) off()
  }
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
