import { useEffect, useState } from 'react'

/** Where Latchkey keeps the session of this browser; the key can be set by `sessionConfig.sessionKey`. */
const sessionKey = 'alchemy-signer-session'

/** Milliseconds until the session ends, counted by the second; null when there is none. */
export function useSessionEnd(): number | null {
  const [left, setLeft] = useState(readLeft)
  useEffect(() => {
    const timer = setInterval(() => setLeft(readLeft()), 1000)
    return () => clearInterval(timer)
  }, [])
  return left
}

function readLeft(): number | null {
  try {
    const end: unknown = JSON.parse(localStorage.getItem(sessionKey) ?? 'null')?.state?.session?.expirationDateMs
    return typeof end === 'number' ? end - Date.now() : null
  } catch {
    return null
  }
}
