import { type MouseEvent, type ReactNode, useEffect, useId, useRef } from 'react'
import type { AuthStep } from './authMachine.ts'
import { ConfirmationStep } from './steps/ConfirmationStep.tsx'
import { AccountDeletingStep, AccountKeptStep } from './steps/DeletionSteps.tsx'
import { EmailCompletingStep, EmailLinkFailedStep } from './steps/EmailLinkSteps.tsx'
import { EmailVerifyStep } from './steps/EmailVerifyStep.tsx'
import { InitialStep } from './steps/InitialStep.tsx'
import { PasskeyCreateStep, PasskeyNewStep, PasskeyVerifyStep } from './steps/PasskeySteps.tsx'
import type { UiConfig } from './uiConfig.ts'
import type { AuthFlow } from './useAuthFlow.ts'

type StepsProps = { flow: AuthFlow; uiConfig: UiConfig; titleId: string }

/** The sign-in dialog: one native dialog with the current step inside. */
export function AuthModal({ flow, uiConfig }: Omit<StepsProps, 'titleId'>) {
  const titleId = useId()
  const { state, confirmation } = flow
  const { isOpen, step } = state
  const isConfirming = confirmation && isCompleting(step)
  return (
    <AuthDialog
      isOpen={isOpen}
      stepKey={isConfirming ? 'confirmation' : toStepKey(step)}
      titleId={titleId}
      className={uiConfig.auth?.className}
      onClose={flow.close}
    >
      {isConfirming ? (
        <ConfirmationStep confirmation={confirmation} titleId={titleId} onClose={flow.close} />
      ) : (
        <AuthSteps flow={flow} uiConfig={uiConfig} titleId={titleId} />
      )}
    </AuthDialog>
  )
}

/** A failure moves the focus, but not from a field or button that can be used again. */
function toStepKey(step: AuthStep): string {
  const isMoved = step.type !== 'email_verify' && 'error' in step && step.error
  return isMoved ? `${step.type}:error` : step.type
}

/** Link or code are being used. What waits at any other step is something else of the page. */
function isCompleting(step: AuthStep): boolean {
  return step.type === 'email_completing' || (step.type === 'email_verify' && step.code?.isChecking === true)
}

function AuthSteps({ flow, uiConfig, titleId }: StepsProps) {
  const { step } = flow.state
  const back = { titleId, onBack: flow.back, onClose: flow.close }
  switch (step.type) {
    case 'initial':
      return (
        <InitialStep
          step={step}
          auth={uiConfig.auth ?? {}}
          termsUrl={uiConfig.termsUrl}
          titleId={titleId}
          onSubmit={flow.submit}
          onPasskey={flow.passkey}
          onNewPasskey={flow.nameNewPasskey}
          onClose={flow.close}
        />
      )
    case 'email_verify':
      return (
        <EmailVerifyStep
          step={step}
          onResend={flow.resend}
          onResendShown={flow.resendShown}
          onCode={flow.submitCode}
          {...back}
        />
      )
    case 'email_completing':
      return <EmailCompletingStep titleId={titleId} onClose={flow.close} />
    case 'email_link_failed':
      return <EmailLinkFailedStep step={step} {...back} />
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
    case 'account_deleting':
      return <AccountDeletingStep step={step} deletion={flow.deletion} onCancel={flow.cancelDeletion} {...back} />
    case 'account_kept':
      return <AccountKeptStep {...back} />
    case 'passkey_create':
      return (
        <PasskeyCreateStep
          step={step}
          titleId={titleId}
          confirmation={flow.confirmation}
          onAdd={flow.addPasskey}
          onSignIn={flow.signInAgain}
          onSkip={flow.skip}
          onClose={flow.close}
        />
      )
    case 'complete':
      return null
  }
}

type AuthDialogProps = {
  isOpen: boolean
  /** Changes with the step: the focus then moves to the step's `data-lk-focus` element. */
  stepKey: string
  titleId: string
  className?: string | undefined
  onClose: () => void
  children: ReactNode
}

/**
 * A native modal `<dialog>`: the browser keeps the focus inside, the page behind inert, and closes on Escape
 * (HTML standard § 4.11.4). A press that starts and ends on the backdrop closes too.
 */
function AuthDialog({ isOpen, stepKey, titleId, className, onClose, children }: AuthDialogProps) {
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

  // The dialog has no padding: a press whose target is the dialog itself is outside the card. One that began
  // inside (text being selected) is not.
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
      className={className ? `lk-dialog ${className}` : 'lk-dialog'}
      aria-labelledby={titleId}
      onMouseDown={press}
      onClick={release}
      // The event fires after the browser has closed it, when it may be open again.
      onClose={() => {
        if (!ref.current?.open) onClose()
      }}
    >
      {isOpen && <div className="lk-card">{children}</div>}
    </dialog>
  )
}
