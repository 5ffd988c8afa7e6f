import { useAccessToken, useSignerStatus } from 'latchkey/react'
import { useEffect } from 'react'

/** Renewal interval, shorter than the five-minute lifetime of a token. */
const everyMs = 4 * 60_000

/** Renews the cookie while a user is signed in, and removes it after a sign-out. Render it once, in the layout. */
export function KeepSession() {
  const { isConnected, isDisconnected } = useSignerStatus()
  const { getAccessTokenAsync } = useAccessToken()
  useEffect(() => {
    if (isDisconnected) fetch('/api/session', { method: 'DELETE' }).catch(console.error)
    if (!isConnected) return
    const renew = async () => {
      const headers = { Authorization: `Bearer ${await getAccessTokenAsync()}` }
      await fetch('/api/session', { method: 'POST', headers })
    }
    renew().catch(console.error)
    const timer = setInterval(() => renew().catch(console.error), everyMs)
    return () => clearInterval(timer)
  }, [isConnected, isDisconnected, getAccessTokenAsync])
  return null
}
