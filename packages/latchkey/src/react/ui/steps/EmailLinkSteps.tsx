import type { AuthStep } from '../authMachine.ts'
import { MailIcon, WaitIcon } from '../Icons.tsx'
import { Message, StepBar } from '../StepParts.tsx'
import { texts } from '../texts.ts'

export function EmailCompletingStep({ titleId, onClose }: { titleId: string; onClose: () => void }) {
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
  onClose: () => void
}

const reasons = {
  elsewhere: {
    title: texts.elsewhereTitle,
    body: [texts.elsewhereBody, texts.elsewhereCode],
    again: texts.elsewhereAgain,
  },
  spent: { title: texts.spentTitle, body: [texts.spentBody], again: texts.spentAgain },
}

/** The link of a mail cannot be used here: says why, and what to do instead. */
export function EmailLinkFailedStep({ step, titleId, onBack, onClose }: EmailLinkFailedStepProps) {
  const { title, body, again } = reasons[step.reason]
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
