import { useEffect, useMemo, useReducer, useRef, useSyncExternalStore } from 'react'
import { deviceName } from '../../core/deviceName.ts'
import { BaseError } from '../../core/errors/BaseError.ts'
import { passkeyName } from '../../core/passkeyName.ts'
import { requireSigner } from '../../query/requireSigner.ts'
import type { AuthParameters, PasskeyParameters } from '../../signer/AuthParameters.ts'
import type { EndedSession, PendingConfirmation, PendingDeletion } from '../../signer/pending.ts'
import type { Signer } from '../../signer/types.ts'
import { getSigner, watchSigner } from '../../wallet/actions/signer.ts'
import type { LatchkeyConfig } from '../../wallet/store/types.ts'
import { useSignerPart } from '../query/useSignerPart.ts'
import { authMachine, initialAuthState } from './authMachine.ts'
import type { AuthState, AuthStep } from './authStep.ts'
import { bindSigner, type Dispatch, type Latest, type Place, report } from './bindSigner.ts'
import { createFactorAction } from './createFactorAction.ts'
import { isAdding, isOffer } from './offers.ts'
import { type AuthUiConfig, defaultSections, type OwnerSelection, type SocialOption } from './uiConfig.ts'

export type AuthFlow = {
  config: LatchkeyConfig
  state: AuthState
  /** Pending e-mail confirmation of the current step. */
  confirmation?: PendingConfirmation | null | undefined
  /** Number of digits of the awaited e-mail's code; null if no code can be entered here. */
  codeLength: number | null
  deletion?: PendingDeletion | null | undefined
  /** Session that ended, with the reason; null after a sign-out by the user. */
  ended?: EndedSession | null | undefined
  open: () => void
  close: () => void
  back: () => void
  submit: (email: string) => void
  resend: () => void
  resendShown: () => void
  /** Signs in with the e-mail's code. */
  submitCode: (code: string) => void
  /** Completes the sign-in with a code of the authenticator app or a recovery code. */
  submitFactor: (code: string) => void
  /** Signs in with a passkey. If the device has no passkey, offers a new account. */
  passkey: () => void
  /** Signs in with any passkey, such as one on another device. */
  otherPasskey: () => void
  /** Shows the step that asks for the name of a new passkey account. */
  nameNewPasskey: () => void
  /** Creates a passkey and a new account. The default name consists of host and time. */
  createPasskey: (name?: string) => void
  retry: () => void
  /** Signs in by an identity provider. Replaces a window that is still open. */
  social: (option: SocialOption) => void
  /** Signs in by e-mail, because the provider does not verify the e-mail address, then offers to add the provider. */
  linkSocial: (option: SocialOption, email: string) => void
  addSocial: (option: SocialOption) => void
  /** Adds a passkey to a new account. */
  addPasskey: () => void
  /** Adds an e-mail address to a new passkey account. */
  addEmail: (email: string) => void
  /** Signs the same user in again, then repeats the offer of a passkey. */
  signInAgain: () => void
  skip: () => void
  /** Opens the step that adds a backup key; without a user, the form. */
  addOwner: (owner: OwnerSelection) => void
  cancelDeletion: () => void
}

/** Connects the state machine to the signer: converts signer events to machine events and clicks to signer calls. */
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
  const codeLength = useCodeLength(signer, state.step)

  useAutofill(signer, { state, auth, dispatch })
  const ended = signer?.ended

  return useMemo(
    () => ({ config, state, confirmation, deletion, ended, codeLength, ...actions }),
    [config, state, confirmation, deletion, ended, codeLength, actions],
  )
}

/**
 * Returns the confirmation until the step ends. A finished confirmation stays, so that no other step appears briefly.
 */
function useAwaited(signer: Signer | null | undefined, step: AuthStep): PendingConfirmation | null {
  const pending = useSignerPart(signer ?? null, 'confirmation')
  const last = useRef(pending)
  last.current = isWaiting(step) ? (pending ?? last.current) : null
  return last.current
}

/** Returns the code's length, even while the code is being verified and the signer no longer waits for a code. */
function useCodeLength(signer: Signer | null | undefined, step: AuthStep): number | null {
  const last = useRef<number | null>(null)
  const isChecking = step.type === 'email_verify' && step.code?.isChecking === true
  if (!isChecking) last.current = signer?.codeLength ?? null
  return last.current
}

/**
 * Checks whether a link or code is being used, or a sign-in method is being added. During other steps, the app shows
 * the confirmation itself.
 */
function isWaiting(step: AuthStep): boolean {
  if (isOffer(step)) return isAdding(step)
  return step.type === 'email_completing' || (step.type === 'email_verify' && step.code?.isChecking === true)
}

/**
 * Offers this site's passkeys in the autofill of the e-mail field while the form is idle. Another sign-in ends the
 * offer.
 */
function useAutofill(
  signer: Signer | null | undefined,
  { state: { isOpen, step }, auth, dispatch }: { state: AuthState; auth: AuthUiConfig; dispatch: Dispatch },
): void {
  const types = (auth.sections ?? defaultSections).flat().map(({ type }) => type)
  const isWanted = isOpen && isIdleForm(step) && types.includes('email') && types.includes('passkey')
  useEffect(() => {
    // No offer while a signed-in user signs in again: a passkey of another user would switch accounts.
    if (!signer || signer.user || !isWanted) return
    const offer = new AbortController()
    signer
      .authenticate({ type: 'passkey', createNew: false, mediation: 'conditional', signal: offer.signal })
      .catch((error: unknown) => {
        const isOver = error instanceof BaseError && offerEnds.has(error.code)
        if (!isOver) report(error, 'signerFailed', dispatch)
      })
    return () => {
      // `AUTHENTICATING` means that the user has picked a passkey, and the sign-in continues.
      if (signer.status !== 'AUTHENTICATING') offer.abort()
    }
  }, [signer, isWanted, dispatch])
}

/** Errors that end an offer silently, because the user has not clicked anything and the form still works. */
const offerEnds: ReadonlySet<string> = new Set([
  'ABORTED',
  'CHUNK_FAILED',
  'PASSKEY_CANCELLED',
  'PASSKEY_FAILED',
  'PASSKEY_UNSUPPORTED',
  'SUPERSEDED',
])

/**
 * Checks whether the form may offer passkeys. After a failure it may not, because a picked passkey may have caused it.
 */
const isIdleForm = (step: AuthStep) => step.type === 'initial' && !step.request && !step.error

function createActions(
  config: LatchkeyConfig,
  dispatch: Dispatch,
  latest: () => Latest,
): Omit<AuthFlow, 'config' | 'state' | 'confirmation' | 'deletion' | 'ended' | 'codeLength'> {
  const { authenticate, cancel, cancelSocial } = createSignIn(config, dispatch)
  const currentEmail = () => getSigner(config)?.user?.email
  const requestPasskey = (request: PasskeyParameters) => {
    dispatch({ type: 'passkeyAsked', request })
    authenticate(request)
  }
  const add = createAdd(config, dispatch)
  const open = () => {
    const signer = getSigner(config)
    dispatch({
      type: 'opened',
      email: currentEmail() ?? signer?.ended?.email,
      awaitedEmail: signer?.user ? null : signer?.awaitedEmail,
    })
  }
  return {
    open,
    addOwner: (owner) => (getSigner(config)?.user ? dispatch({ type: 'ownerAsked', owner }) : open()),
    close: () => {
      dispatch({ type: 'closed' })
      cancel()
    },
    back: () => {
      dispatch({ type: 'back' })
      cancel()
      cancelSocial()
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
      dispatch({ type: 'codeSubmitted' })
      authenticate({ type: 'email', code }, 'codeFailed')
    },
    submitFactor: createFactorAction(config, dispatch),
    passkey: async () => {
      const request = { type: 'passkey', createNew: false } as const
      dispatch({ type: 'passkeyAsked', request })
      const end = await authenticate({ ...request, mediation: 'immediate' }, 'failed', immediateEnds)
      if (end === 'PASSKEY_UNSUPPORTED') authenticate(request)
      if (end === 'PASSKEY_CANCELLED') dispatch({ type: 'noPasskeyHere' })
    },
    otherPasskey: () => requestPasskey({ type: 'passkey', createNew: false }),
    nameNewPasskey: () => dispatch({ type: 'newPasskeyAsked', name: newName() }),
    createPasskey: (name = newName()) => requestPasskey({ type: 'passkey', createNew: true, username: name }),
    retry: () => {
      const { step } = latest().state
      if (step.type === 'passkey_verify') requestPasskey(step.request)
    },
    ...createSocialActions(dispatch, authenticate, add),
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

function createSocialActions(
  dispatch: Dispatch,
  authenticate: ReturnType<typeof createSignIn>['authenticate'],
  add: ReturnType<typeof createAdd>,
): Pick<AuthFlow, 'social' | 'linkSocial' | 'addSocial'> {
  return {
    social: (option) => {
      dispatch({ type: 'socialAsked', option })
      authenticate({ type: 'oauth', provider: option.provider, mode: option.mode, ifBlocked: 'fail' })
    },
    linkSocial: (option, email) => {
      const request = { type: 'email', email } as const
      dispatch({ type: 'socialLinkAsked', request, option })
      authenticate(request)
    },
    addSocial: ({ provider }) => add((signer) => signer.addProvider(provider)),
  }
}

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

/** Errors of an `immediate` prompt on a device without a passkey. */
const immediateEnds: readonly string[] = ['PASSKEY_UNSUPPORTED', 'PASSKEY_CANCELLED']

/**
 * Calls the signer. `cancel` ends the repeated sign-in of a signed-in user, who stays signed in. A first sign-in
 * continues to wait for its e-mail.
 */
function createSignIn(config: LatchkeyConfig, dispatch: Dispatch) {
  let reauthentication: AbortController | undefined
  let social: AbortController | undefined
  const calls = { failed: 0, codeFailed: 0 }
  return {
    /** `expected`: error codes to return to the caller instead of reporting them. */
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
        if (request.type === 'oauth') social = new AbortController()
        const signal = (request.type === 'oauth' ? social : reauthentication)?.signal
        await signer.authenticate({ ...request, signal })
      } catch (error) {
        // Resend joins the previous call to the new call, so both fail. Only the new call reports the failure.
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
    /** Closes the window of an identity provider. */
    cancelSocial() {
      social?.abort()
      social = undefined
    },
  }
}
