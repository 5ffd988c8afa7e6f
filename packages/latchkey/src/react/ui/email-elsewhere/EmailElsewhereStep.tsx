import { MailIcon } from '../parts/Icons.tsx'
import { Message } from '../parts/Message.tsx'
import { StepBar } from '../parts/StepBar.tsx'
import { texts } from '../texts.ts'

type EmailElsewhereStepProps = { titleId: string; onBack: () => void; onClose: () => void }

/** The mail link was opened where nobody asked for it: says so, and names both ways on. */
export function EmailElsewhereStep({ titleId, onBack, onClose }: EmailElsewhereStepProps) {
  return (
    <>
      <StepBar onClose={onClose} />
      <Message icon={<MailIcon size={30} />} title={texts.elsewhereTitle} titleId={titleId}>
        <p>{texts.elsewhereBody}</p>
        <p>{texts.elsewhereCode}</p>
      </Message>
      <button type="button" className="lk-button lk-button-secondary" onClick={onBack}>
        {texts.elsewhereAgain}
      </button>
    </>
  )
}
