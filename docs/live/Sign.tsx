import { useSignMessage, useSmartAccountClient } from 'latchkey/react'

/**
 * A signature of the account, which contracts and servers verify by ERC-1271, and before its first operation by
 * ERC-6492.
 */
export function Sign() {
  const { client } = useSmartAccountClient({ type: 'LightAccount' })
  const { signMessage, signedMessage, isSigningMessage, error } = useSignMessage({ client })
  if (!client) return null
  return (
    <>
      <button type="button" disabled={isSigningMessage} onClick={() => signMessage({ message: 'Hello' })}>
        Sign “Hello”
      </button>
      <p>{error?.message ?? signedMessage}</p>
    </>
  )
}
