import { Button } from '@latchkey/ui/Button'
import { useAuthModal, useSession } from 'latchkey/react'
import { formatClock } from '../format.ts'

/** Seconds before the session's end at which the offer appears. */
const offerSeconds = 120

/** Offers to extend a session before it ends. */
export function SessionEnd() {
  const { secondsLeft } = useSession()
  const { openAuthModal, triggerProps } = useAuthModal()
  if (secondsLeft === null || secondsLeft === 0 || secondsLeft > offerSeconds) return null
  return (
    <section className="mail-notice" aria-label="End of your session">
      <p>
        <b>Your session ends in {formatClock(secondsLeft)}.</b> Sign in again to stay signed in. You won’t lose anything
        on this page.
      </p>
      <Button look="small" {...triggerProps} onClick={openAuthModal}>
        Stay signed in
      </Button>
    </section>
  )
}
