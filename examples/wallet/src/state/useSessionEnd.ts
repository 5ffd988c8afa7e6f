import { useSigner } from 'latchkey/react'
import { useEffect, useState } from 'react'

/** Milliseconds until the session ends, counted by the second; null when there is none. */
export function useSessionEnd(): number | null {
  const signer = useSigner()
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [])
  const end = signer?.expiresAt ?? null
  return end === null ? null : end - now
}
