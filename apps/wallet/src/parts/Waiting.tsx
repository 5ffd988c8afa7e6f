import { Button } from '@latchkey/ui/Button'
import { useConfirmation } from 'latchkey/react'
import type { PendingConfirmation } from 'latchkey/signer'
import { useState } from 'react'
import { formatTime } from '../format.ts'
import { Failure } from './Failure.tsx'

/** Shows a pending confirmation by mail. The page stays usable. */
export function Waiting() {
  const confirmation = useConfirmation()
  if (!confirmation) return null
  // One per mail: the one to a new address is second.
  return <Mail key={confirmation.to} confirmation={confirmation} />
}

function Mail({ confirmation }: { confirmation: PendingConfirmation }) {
  const { text, to, expiresAtMs, resend, cancel } = confirmation
  const [sending, setSending] = useState<'sending' | 'sent' | Error | null>(null)
  const again = () => {
    setSending('sending')
    resend().then(() => setSending('sent'), setSending)
  }
  return (
    <section className="mail-notice" aria-label="Waiting for a mail">
      <div role="status">
        <p>
          <b>{text}.</b> {to && <>It went to {to}. </>}It names what you asked for and the key that gets it, if there is
          one: compare both. It can be confirmed until {formatTime(expiresAtMs)}.
        </p>
        {sending === 'sent' && <p>Sent again. The mail before works, too.</p>}
      </div>
      {sending instanceof Error && <Failure title="Could not send it again" error={sending} />}
      <div className="buttons">
        <Button look="small" isBusy={sending === 'sending'} onClick={again}>
          Resend
        </Button>
        <Button look="small" onClick={cancel}>
          Cancel
        </Button>
      </div>
    </section>
  )
}
