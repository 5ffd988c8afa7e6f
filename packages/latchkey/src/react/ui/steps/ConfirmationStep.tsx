import type { PendingConfirmation } from '../../../signer/types.ts'
import { MailIcon } from '../Icons.tsx'
import { Message, StepBar } from '../StepParts.tsx'
import { texts } from '../texts.ts'

type ConfirmationStepProps = { confirmation: PendingConfirmation; titleId: string; onClose: () => void }

/** The sign-in waits for a second mail: its session is to get a key of this browser. */
export function ConfirmationStep({ confirmation, titleId, onClose }: ConfirmationStepProps) {
  const { text, expiresAtMs, cancel } = confirmation
  return (
    <>
      <StepBar onClose={onClose} />
      <Message icon={<MailIcon size={30} />} title={text} titleId={titleId}>
        <p>
          {texts.confirmBody} {new Date(expiresAtMs).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })}.
        </p>
      </Message>
      <button type="button" className="lk-button lk-button-secondary" onClick={cancel}>
        {texts.cancel}
      </button>
    </>
  )
}
