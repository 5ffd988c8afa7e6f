import { useEffect, useMemo, useReducer, useRef } from 'react'
import { BaseError } from '../../core/errors/BaseError.ts'
import type { Signer } from '../../signer/types.ts'
import { getSigner } from '../../wallet/actions/getSigner.ts'
import { watchSigner } from '../../wallet/actions/watchSigner.ts'
import type { LatchkeyConfig } from '../../wallet/store/types.ts'
import { signerOf } from '../query/signerOf.ts'
import { type AuthEvent, type AuthState, authMachine, type EmailRequest, initialAuthState } from './authMachine.ts'
import type { AuthUiConfig } from './uiConfig.ts'

export type AuthFlow = {
  state: AuthState
  open: () => void
  close: () => void
  back: () => void
  submit: (email: string) => void
  resend: () => void
  resendShown: () => void
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

  const calls = useMemo(() => {
    const authenticate = async (request: EmailRequest) => {
      try {
        await signerOf(config).authenticate(request)
      } catch (error) {
        report(error, 'failed', dispatch)
      }
    }
    return {
      open: () => dispatch({ type: 'opened' }),
      close: () => dispatch({ type: 'closed' }),
      back: () => dispatch({ type: 'back' }),
      submit: (email: string) => {
        const request: EmailRequest = { type: 'email', email }
        dispatch({ type: 'submitted', request })
        authenticate(request)
      },
      resend: () => {
        const { step } = latest.current.state
        if (step.type !== 'email_verify') return
        dispatch({ type: 'resendPressed' })
        authenticate(step.request)
      },
      resendShown: () => dispatch({ type: 'resendShown' }),
    }
  }, [config])

  return useMemo(() => ({ state, ...calls }), [state, calls])
}

function bindSigner(
  signer: Signer,
  dispatch: (event: AuthEvent) => void,
  latest: () => { auth: AuthUiConfig; opensItself: () => boolean },
): () => void {
  const isStarting = signer.status === 'INITIALIZING' || signer.status === 'AUTHENTICATING'
  if (signer.link?.hasBundle && isStarting && latest().opensItself()) dispatch({ type: 'linkOpened' })
  const offs = [
    signer.on('statusChanged', (status) => {
      const isSignup = signer.link?.isSignup && latest().auth.addPasskeyOnSignup
      if (status === 'AWAITING_EMAIL_AUTH' && isSignup) dispatch({ type: 'opened' })
      dispatch({ type: 'statusChanged', status })
    }),
    signer.on('error', (error) => report(error, 'signerFailed', dispatch)),
  ]
  return () => {
    for (const off of offs) off()
  }
}

function report(error: unknown, type: 'failed' | 'signerFailed', dispatch: (event: AuthEvent) => void): void {
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
