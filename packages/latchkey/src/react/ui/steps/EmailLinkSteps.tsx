import type { AuthStep } from '../authMachine.ts'
import { MailIcon, WaitIcon } from '../Icons.tsx'
import { Message, StepBar } from '../StepParts.tsx'
import { type Texts, useLanguage } from '../texts/language.ts'

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

const toReasons = (texts: Texts) => ({
  elsewhere: {
    title: texts.elsewhereTitle,
    body: [texts.elsewhereBody, texts.elsewhereCode],
    again: texts.elsewhereAgain,
  },
  gone: { title: texts.goneTitle, body: [texts.goneBody, texts.goneCode], again: texts.newEmail },
  spent: { title: texts.spentTitle, body: [texts.spentBody], again: texts.newEmail },
})

/** Shows why an e-mail link cannot be used here, and what to do instead. */
export function EmailLinkFailedStep({ step, titleId, onBack, onClose }: EmailLinkFailedStepProps) {
  const { title, body, again } = toReasons(useLanguage().texts)[step.reason]
  return (
    <>
      <StepBar onClose={onClose} />
      <Message icon={<MailIcon size={30} />} title={title} titleId={titleId}>
        {body.map((sentence) => (
          <p key={sentence}>{sentence}</p>
        ))}
      </Message>
      <button type="button" className="lk-button lk-button-secondary" onClick={onBack}>
        {again}
      </button>
    </>
  )
}

type EmailLinkTakenStepProps = {
  step: Extract<AuthStep, { type: 'email_link_taken' }>
  titleId: string
  onClose?: (() => void) | undefined
}

/** Shows that this tab's link has signed in the requesting tab. */
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
