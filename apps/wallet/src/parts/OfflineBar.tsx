import { useUser } from 'latchkey/react'
import { useSyncExternalStore } from 'react'

/**
 * Shows a bar at the bottom of the page while offline, where it does not move the cards. Its element is always
 * rendered, so that screen readers announce the text.
 */
export function OfflineBar() {
  const isOnline = useSyncExternalStore(subscribe, () => navigator.onLine)
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

function subscribe(listener: () => void): () => void {
  window.addEventListener('online', listener)
  window.addEventListener('offline', listener)
  return () => {
    window.removeEventListener('online', listener)
    window.removeEventListener('offline', listener)
  }
}
