import { Button } from '@latchkey/ui/Button'
import { useConfirmation } from 'latchkey/react'
import type { PendingConfirmation } from 'latchkey/signer'
import { useState } from 'react'
import { formatTime } from '../format.ts'
import { Failure } from './Failure.tsx'

const secretNames = { phrase: 'recovery phrase', key: 'private key' } as const

/** Shows a request that waits for the user's confirmation by e-mail. The page stays usable. */
export function Waiting() {
  const confirmation = useConfirmation()
  if (!confirmation) return null
  // The key resets the state for each e-mail: after the current address, the new address must confirm.
  return <Mail key={confirmation.to} confirmation={confirmation} />
}

function Mail({ confirmation }: { confirmation: PendingConfirmation }) {
  const { text, to, expiresAtMs, reveals, takes, resend, cancel } = confirmation
  const [sending, setSending] = useState<'sending' | 'sent' | Error | null>(null)
  const again = () => {
    setSending('sending')
    resend().then(() => setSending('sent'), setSending)
  }
  return (
    <section className="mail-notice" aria-label="Waiting for your confirmation">
      <div role="status">
        <p>
          <b>{text}.</b> {to && <>We sent it to {to}. </>}
          {reveals && `Open its link by ${formatTime(expiresAtMs)}: that page shows your ${secretNames[reveals]}.`}
          {takes && `Open its link by ${formatTime(expiresAtMs)} and enter your ${secretNames[takes]} there.`}
          {!reveals &&
            !takes &&
            `Open it and press Confirm by ${formatTime(expiresAtMs)}. If it shows a code, check that this page shows the same one.`}
        </p>
        {sending === 'sent' && <p>Sent. Both emails work.</p>}
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
