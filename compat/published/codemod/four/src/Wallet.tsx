import {
  useAccount,
  useAuthenticate,
  useLogout,
  useSendUserOperation,
  useSignerStatus,
  useSmartAccountClient,
  useUser,
} from '@account-kit/react'
import { type FormEvent, useState } from 'react'

const readField = (event: FormEvent<HTMLFormElement>, name: string) => {
  event.preventDefault()
  return String(new FormData(event.currentTarget).get(name))
}

export function SignIn() {
  const user = useUser()
  const { isConnected, isInitializing } = useSignerStatus()
  const { authenticate, error } = useAuthenticate()
  const [isAsked, setIsAsked] = useState(false)
  if (isInitializing) return <p>Starting</p>
  if (isConnected) return <p id="user">{user?.email}</p>
  return (
    <>
      <form
        onSubmit={(event) => {
          authenticate({ type: 'email', email: readField(event, 'email'), emailMode: 'otp' })
          setIsAsked(true)
        }}
      >
        <input name="email" type="email" aria-label="Email" />
        <button type="submit">Sign in</button>
      </form>
      {isAsked && (
        <form onSubmit={(event) => authenticate({ type: 'otp', otpCode: readField(event, 'code') })}>
          <input name="code" aria-label="Code" />
          <button type="submit">Enter</button>
        </form>
      )}
      {error && <p role="alert">{error.message}</p>}
    </>
  )
}

export function Wallet() {
  const user = useUser()
  const { address } = useAccount({ type: 'LightAccount' })
  const { client } = useSmartAccountClient({ type: 'LightAccount' })
  const { sendUserOperation, sendUserOperationResult, error } = useSendUserOperation({ client, waitForTxn: true })
  const { logout } = useLogout()
  if (!address || !client) return null
  return (
    <section>
      <p id="owner">{user?.address}</p>
      <p id="address">{address}</p>
      <button type="button" onClick={() => sendUserOperation({ uo: { target: address, data: '0x' } })}>
        Send
      </button>
      <p id="sent">{sendUserOperationResult?.hash}</p>
      {error && <p role="alert">{error.message}</p>}
      <button type="button" onClick={() => logout()}>
        Sign out
      </button>
    </section>
  )
}
