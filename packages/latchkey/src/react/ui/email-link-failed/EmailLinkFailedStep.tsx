import type { AuthStep } from '../authMachine.ts'
import { MailIcon } from '../parts/Icons.tsx'
import { Message } from '../parts/Message.tsx'
import { StepBar } from '../parts/StepBar.tsx'
import { texts } from '../texts.ts'

type EmailLinkFailedStepProps = {
  step: Extract<AuthStep, { type: 'email_link_failed' }>
  titleId: string
  onBack: () => void
  onClose: () => void
}

const words = {
  elsewhere: {
    title: texts.elsewhereTitle,
    body: [texts.elsewhereBody, texts.elsewhereCode],
    again: texts.elsewhereAgain,
  },
  spent: { title: texts.spentTitle, body: [texts.spentBody], again: texts.spentAgain },
}

/** The link of a mail opens nothing here: says why, and names the ways on. */
export function EmailLinkFailedStep({ step, titleId, onBack, onClose }: EmailLinkFailedStepProps) {
  const { title, body, again } = words[step.reason]
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
