import { useId } from 'react'
import { AuthDialog } from './AuthDialog.tsx'
import { EmailCompletingStep } from './email-completing/EmailCompletingStep.tsx'
import { EmailLinkFailedStep } from './email-link-failed/EmailLinkFailedStep.tsx'
import { EmailVerifyStep } from './email-verify/EmailVerifyStep.tsx'
import { InitialStep } from './initial/InitialStep.tsx'
import { PasskeyCreateStep } from './passkey-create/PasskeyCreateStep.tsx'
import { PasskeyVerifyStep } from './passkey-verify/PasskeyVerifyStep.tsx'
import type { UiConfig } from './uiConfig.ts'
import type { AuthFlow } from './useAuthFlow.ts'

/** The sign-in dialog: one native dialog, the present step inside. */
export function AuthModal({ flow, uiConfig }: { flow: AuthFlow; uiConfig: UiConfig }) {
  const titleId = useId()
  const { isOpen, step } = flow.state
  const auth = uiConfig.auth ?? {}
  return (
    <AuthDialog
      isOpen={isOpen}
      stepKey={'error' in step && step.error ? `${step.type}:error` : step.type}
      titleId={titleId}
      className={auth.className}
      onClose={flow.close}
    >
      {step.type === 'initial' && (
        <InitialStep
          step={step}
          auth={auth}
          termsUrl={uiConfig.termsUrl}
          titleId={titleId}
          onSubmit={flow.submit}
          onPasskey={flow.passkey}
          onClose={flow.close}
        />
      )}
      {step.type === 'email_verify' && (
        <EmailVerifyStep
          step={step}
          titleId={titleId}
          onResend={flow.resend}
          onResendShown={flow.resendShown}
          onCode={flow.submitCode}
          onBack={flow.back}
          onClose={flow.close}
        />
      )}
      {step.type === 'email_completing' && <EmailCompletingStep titleId={titleId} onClose={flow.close} />}
      {step.type === 'email_link_failed' && (
        <EmailLinkFailedStep step={step} titleId={titleId} onBack={flow.back} onClose={flow.close} />
      )}
      {step.type === 'passkey_verify' && (
        <PasskeyVerifyStep
          step={step}
          supportUrl={uiConfig.supportUrl}
          titleId={titleId}
          onRetry={flow.retry}
          onCreate={flow.createPasskey}
          onBack={flow.back}
          onClose={flow.close}
        />
      )}
      {step.type === 'passkey_create' && (
        <PasskeyCreateStep
          step={step}
          titleId={titleId}
          onAdd={flow.addPasskey}
          onSignIn={flow.signInAgain}
          onSkip={flow.skip}
          onClose={flow.close}
        />
      )}
    </AuthDialog>
  )
}
