import { useUser } from 'latchkey/react'
import { useOnline } from './useOnline.ts'

/** Shows that the browser is offline. The element is always rendered, so that screen readers announce its text. */
export function OfflineBar() {
  const isOnline = useOnline()
  const user = useUser()
  return (
    <div className="offline" role="status" aria-label="Connection">
      {isOnline ? null : user ? (
        <p>
          <b>You’re offline.</b> You can look around; signing and sending need a connection.
        </p>
      ) : (
        <p>
          <b>You’re offline.</b> You can sign in once you’re back online.
        </p>
      )}
    </div>
  )
}
