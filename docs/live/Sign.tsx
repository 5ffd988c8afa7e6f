import { useSignMessage, useSmartAccountClient } from 'latchkey/react'

/** The account's own signature: contracts and servers check it by ERC-1271, before its first operation too (ERC-6492). */
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
