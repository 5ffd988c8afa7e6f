import type { AuthStep } from '../authStep.ts'
import { MailIcon, WaitIcon } from '../Icons.tsx'
import { Message, StepBar } from '../StepParts.tsx'
import { useLanguage } from '../texts/language.ts'

export function EmailCompletingStep({ titleId, onClose }: { titleId: string; onClose?: (() => void) | undefined }) {
  const { texts } = useLanguage()
  return (
    <>
      <StepBar onClose={onClose} />
      <Message icon={<WaitIcon size={30} />} title={texts.completingTitle} titleId={titleId}>
        <p>{texts.completingBody}</p>
      </Message>
    </>
  )
}

type EmailLinkFailedStepProps = {
  step: Extract<AuthStep, { type: 'email_link_failed' }>
  titleId: string
  onBack: () => void
  onClose?: (() => void) | undefined
}

/** Shows why an e-mail link cannot be used here, and what to do instead. */
export function EmailLinkFailedStep({ step, titleId, onBack, onClose }: EmailLinkFailedStepProps) {
  const { texts } = useLanguage()
  const { reason } = step
  return (
    <>
      <StepBar onClose={onClose} />
      <Message icon={<MailIcon size={30} />} title={texts[`${reason}Title`]} titleId={titleId}>
        <p>{texts[`${reason}Body`]}</p>
        {reason !== 'spent' && <p>{texts[`${reason}Code`]}</p>}
      </Message>
      <button type="button" className="lk-button lk-button-secondary" onClick={onBack}>
        {reason === 'elsewhere' ? texts.elsewhereAgain : texts.newEmail}
      </button>
    </>
  )
}

type EmailLinkTakenStepProps = {
  step: Extract<AuthStep, { type: 'email_link_taken' }>
  titleId: string
  onClose?: (() => void) | undefined
}

/** Shows that the tab that requested the e-mail has signed in with this tab's link. */
export function EmailLinkTakenStep({ step, titleId, onClose }: EmailLinkTakenStepProps) {
  const { texts } = useLanguage()
  return (
    <>
      <StepBar onClose={onClose} />
      <Message icon={<MailIcon size={30} />} title={texts.takenTitle} titleId={titleId}>
        <p>{step.isSignedInHere ? texts.takenBoth : texts.takenBody}</p>
      </Message>
      {step.isSignedInHere && (
        <button type="button" className="lk-button lk-button-secondary" onClick={onClose}>
          {texts.takenClose}
        </button>
      )}
    </>
  )
}
