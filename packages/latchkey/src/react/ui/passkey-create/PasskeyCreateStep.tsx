import type { AuthStep } from '../authMachine.ts'
import { needsSignIn } from '../errorText.ts'
import { ErrorBanner } from '../parts/ErrorBanner.tsx'
import { KeyIcon, WaitIcon } from '../parts/Icons.tsx'
import { Message } from '../parts/Message.tsx'
import { StepBar } from '../parts/StepBar.tsx'
import { texts } from '../texts.ts'

type PasskeyCreateStepProps = {
  step: Extract<AuthStep, { type: 'passkey_create' }>
  titleId: string
  onAdd: () => void
  onSignIn: () => void
  onSkip: () => void
  onClose: () => void
}

/** Somebody has just signed up by e-mail: a passkey is offered for the next time. */
export function PasskeyCreateStep({ step, titleId, onAdd, onSignIn, onSkip, onClose }: PasskeyCreateStepProps) {
  const { isAdding = false, error } = step
  const isSignInNeeded = needsSignIn(error?.cause)
  return (
    <>
      <StepBar onClose={onClose} />
      <Message icon={<KeyIcon size={30} />} title={texts.passkeyCreateTitle} titleId={titleId}>
        <p>{texts.passkeyCreateBody}</p>
      </Message>
      {error && <ErrorBanner error={error.cause} />}
      <button
        type="button"
        className="lk-button lk-button-primary"
        aria-busy={isAdding}
        disabled={isAdding}
        onClick={isSignInNeeded ? onSignIn : onAdd}
      >
        {isAdding && <WaitIcon />}
        {isSignInNeeded ? texts.signInAgain : texts.continue}
      </button>
      <button type="button" className="lk-button lk-button-secondary" disabled={isAdding} onClick={onSkip}>
        {texts.skip}
      </button>
    </>
  )
}
