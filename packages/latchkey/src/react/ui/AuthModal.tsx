import { type MouseEvent, type ReactNode, useEffect, useId, useRef } from 'react'
import type { AuthStep, OfferStep as OfferStepState } from './authStep.ts'
import { isOffer } from './offers.ts'
import { LoadedOwnerStep } from './owners/LoadedOwnerStep.tsx'
import { type RootProps, rootProps } from './rootProps.ts'
import { type SocialParts, useSocialParts } from './social/useSocialParts.ts'
import { ConfirmationStep } from './steps/ConfirmationStep.tsx'
import { AccountDeletingStep, AccountKeptStep } from './steps/DeletionSteps.tsx'
import { EmailCompletingStep, EmailLinkFailedStep, EmailLinkTakenStep } from './steps/EmailLinkSteps.tsx'
import { EmailVerifyStep } from './steps/EmailVerifyStep.tsx'
import { FactorStep } from './steps/FactorStep.tsx'
import { InitialStep } from './steps/InitialStep.tsx'
import { OfferStep } from './steps/OfferStep.tsx'
import { PasskeyNewStep, PasskeyVerifyStep } from './steps/PasskeySteps.tsx'
import { useLanguage } from './texts/language.ts'
import type { UiConfig } from './uiConfig.ts'
import type { AuthFlow } from './useAuthFlow.ts'

type StepsProps = {
  flow: AuthFlow
  uiConfig: UiConfig
  titleId: string
  /** Close handler. Without it, the step has no Close button. */
  onClose?: (() => void) | undefined
}

/** Renders the sign-in dialog: a native `<dialog>` that contains the current step. */
export function AuthModal({ flow, uiConfig }: Omit<StepsProps, 'titleId' | 'onClose'>) {
  const titleId = useId()
  const { locale } = useLanguage()
  return (
    <StepDialog
      isOpen={flow.state.isOpen}
      stepKey={currentStepKey(flow)}
      titleId={titleId}
      root={rootProps(uiConfig, locale, 'lk-modal')}
      onClose={flow.close}
    >
      <CurrentStep flow={flow} uiConfig={uiConfig} titleId={titleId} onClose={flow.close} />
    </StepDialog>
  )
}

/** Renders the current step. A pending confirmation takes precedence over the state machine's step. */
export function CurrentStep(props: StepsProps) {
  const { flow, titleId, onClose } = props
  const { confirmation } = flow
  const { step } = flow.state
  if (!confirmation && step.type === 'mfa')
    return <FactorStep {...{ step, titleId, onClose }} onCode={flow.submitFactor} onBack={flow.back} />
  if (!confirmation) return <AuthSteps {...props} />
  const isRecovery = step.type === 'recovery_create'
  const isSkippable = isOffer(step)
  const cancel = () => {
    confirmation.cancel()
    if (isSkippable) flow.skip()
  }
  // The user may have mistyped the e-mail address.
  const onBack = isRecovery ? confirmation.cancel : undefined
  return <ConfirmationStep {...{ confirmation, titleId, isSkippable, onBack, onClose }} onCancel={cancel} />
}

/** Returns a key that differs between steps. */
export function currentStepKey(flow: AuthFlow): string {
  return flow.confirmation ? 'confirmation' : toStepKey(flow.state.step)
}

/** A failure moves the focus, unless the focus is on a field or button that the user can reuse. */
function toStepKey(step: AuthStep): string {
  const isMoved = !['email_verify', 'mfa'].includes(step.type) && 'error' in step && step.error
  return isMoved ? `${step.type}:error` : step.type
}

function AuthSteps({ flow, uiConfig, titleId, onClose }: StepsProps) {
  const { step } = flow.state
  const social = useSocialParts(uiConfig)
  const back = { titleId, onBack: flow.back, onClose }
  switch (step.type) {
    case 'initial':
      return (
        <InitialStep
          step={step}
          ended={flow.ended}
          uiConfig={uiConfig}
          titleId={titleId}
          social={social}
          onSubmit={flow.submit}
          onSocial={flow.social}
          onPasskey={flow.passkey}
          onNewPasskey={flow.nameNewPasskey}
          onClose={onClose}
        />
      )
    case 'email_verify':
      return (
        <EmailVerifyStep
          step={step}
          codeLength={flow.codeLength}
          onResend={flow.resend}
          onResendShown={flow.resendShown}
          onCode={flow.submitCode}
          {...back}
        />
      )
    case 'email_completing':
      return <EmailCompletingStep titleId={titleId} onClose={onClose} />
    case 'email_link_failed':
      return <EmailLinkFailedStep step={step} {...back} />
    case 'email_link_taken':
      return <EmailLinkTakenStep step={step} titleId={titleId} onClose={flow.close} />
    case 'passkey_new':
      return <PasskeyNewStep step={step} onCreate={flow.createPasskey} {...back} />
    case 'passkey_verify':
      return (
        <PasskeyVerifyStep
          step={step}
          supportUrl={uiConfig.supportUrl}
          onRetry={flow.retry}
          onCreate={() => flow.createPasskey()}
          {...back}
        />
      )
    case 'social_verify':
      return social ? <social.SocialStep step={step} onSocial={flow.social} onLink={flow.linkSocial} {...back} /> : null
    case 'account_deleting':
      return <AccountDeletingStep step={step} deletion={flow.deletion} onCancel={flow.cancelDeletion} {...back} />
    case 'account_kept':
      return <AccountKeptStep {...back} />
    case 'mfa':
    case 'complete':
      return null
    default:
      return <Offer {...{ step, flow, social, titleId, onClose }} />
  }
}

type OfferProps = Omit<StepsProps, 'uiConfig'> & { step: OfferStepState; social: SocialParts }

/** Renders an offer after a sign-up. */
function Offer({ step, social, ...props }: OfferProps) {
  if (step.type === 'owner_create') return <LoadedOwnerStep step={step} {...props} />
  if (step.type !== 'social_add') return <OfferStep step={step} {...props} />
  return social ? <social.SocialAddStep step={step} {...props} /> : null
}

type StepDialogProps = {
  isOpen: boolean
  /** Key of the step. When it changes, the step's `data-lk-focus` element gets the focus. */
  stepKey: string
  titleId: string
  root: RootProps
  onClose: () => void
  children: ReactNode
}

/**
 * Renders a modal `<dialog>`. The browser keeps the focus inside, makes the rest of the page inert, and closes the
 * dialog on Escape (HTML standard § 4.11.4). A click that starts and ends on the backdrop also closes the dialog.
 */
export function StepDialog({ isOpen, stepKey, titleId, root, onClose, children }: StepDialogProps) {
  const ref = useRef<HTMLDialogElement>(null)
  const isBackdropPress = useRef(false)

  useEffect(() => {
    const dialog = ref.current
    if (!dialog || dialog.open === isOpen) return
    if (isOpen) dialog.showModal()
    else dialog.close()
  }, [isOpen])

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new step moves the focus
  useEffect(() => {
    if (isOpen) ref.current?.querySelector<HTMLElement>('[data-lk-focus]')?.focus()
  }, [isOpen, stepKey])

  // The dialog has no padding, so a click whose target is the dialog itself is outside the card. A press that began
  // inside the card is a text selection.
  const press = (event: MouseEvent) => {
    isBackdropPress.current = event.target === ref.current
  }
  const release = (event: MouseEvent) => {
    if (isBackdropPress.current && event.target === ref.current) onClose()
  }

  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes by keyboard, built into the browser
    <dialog
      ref={ref}
      {...root}
      aria-labelledby={titleId}
      onMouseDown={press}
      onClick={release}
      // The browser dispatches `close` later, when the dialog may already be open again.
      onClose={() => {
        if (!ref.current?.open) onClose()
      }}
    >
      {isOpen && <div className="lk-card">{children}</div>}
    </dialog>
  )
}
