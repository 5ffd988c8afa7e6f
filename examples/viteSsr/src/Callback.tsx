import { useSignerStatus } from 'latchkey/react'

/** Where the mail's link leads: the provider takes the link out of the address and completes it. */
export function Callback() {
  const { isConnected, isDisconnected } = useSignerStatus()
  if (isConnected) return <a href="/">Go on</a>
  return <p role="status">{isDisconnected ? 'Please sign in again.' : 'Signing you in …'}</p>
}
