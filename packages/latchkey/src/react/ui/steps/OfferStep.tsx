import type { OfferStep as Offer, RecoveryStep } from '../authStep.ts'
import { needsSignIn } from '../errorText.ts'
import { KeyIcon, PasskeyIcon } from '../Icons.tsx'
import { isAdding } from '../offers.ts'
import { BusyButton, ErrorBanner, keepFocus, Message, SecondaryButton, StepBar } from '../StepParts.tsx'
import { useLanguage } from '../texts/language.ts'
import type { AuthFlow } from '../useAuthFlow.ts'
import { EmailForm } from './EmailForm.tsx'

type OfferStepProps = {
  step: Exclude<Offer, { type: 'social_add' | 'owner_create' }>
  flow: AuthFlow
  titleId: string
  onClose?: (() => void) | undefined
}

/**
 * Shows the offer after a sign-up. A sign-up by e-mail is followed by the offer of a passkey. A sign-up by passkey is
 * followed by the offer of an e-mail address or another passkey, in case the user loses the device.
 */
export function OfferStep({ step, flow, titleId, onClose }: OfferStepProps) {
  const { texts } = useLanguage()
  const { error } = step
  const isRecovery = step.type === 'recovery_create'
  const isBusy = isAdding(step)
  const isSignInNeeded = needsSignIn(error?.cause)
  const hasForm = isRecovery && !isSignInNeeded
  // A user who signed up by passkey has no other sign-in method yet.
  const signIn = isRecovery ? flow.otherPasskey : flow.signInAgain
  return (
    <>
      <StepBar onClose={onClose} />
      <Message
        icon={<KeyIcon size={30} />}
        title={isRecovery ? texts.recoveryTitle : texts.passkeyCreateTitle}
        titleId={titleId}
        hasField={hasForm}
      >
        <p>{isRecovery ? texts.recoveryBody : texts.passkeyCreateBody}</p>
      </Message>
      {error && <ErrorBanner error={error.cause} />}
      {hasForm ? (
        <RecoveryForm step={step} flow={flow} isBusy={isBusy} />
      ) : (
        <BusyButton isBusy={isBusy} disabled={isBusy} onClick={isSignInNeeded ? signIn : flow.addPasskey}>
          <span>{isSignInNeeded ? texts.signInAgain : texts.continue}</span>
        </BusyButton>
      )}
      <SecondaryButton isDisabled={isBusy} onPress={flow.skip}>
        {texts.skip}
      </SecondaryButton>
    </>
  )
}

type RecoveryFormProps = { step: RecoveryStep; flow: AuthFlow; isBusy: boolean }

function RecoveryForm({ step: { adding, email }, flow, isBusy }: RecoveryFormProps) {
  const { texts } = useLanguage()
  return (
    <>
      <EmailForm
        autoComplete="email"
        isSubmitting={adding === 'email'}
        isPaused={isBusy}
        email={email}
        onSubmit={flow.addEmail}
      />
      <BusyButton
        isBusy={adding === 'passkey'}
        className="lk-button lk-button-secondary"
        disabled={isBusy}
        onMouseDown={keepFocus}
        onClick={flow.addPasskey}
      >
        <PasskeyIcon />
        <span>{texts.recoveryPasskey}</span>
      </BusyButton>
    </>
  )
}
