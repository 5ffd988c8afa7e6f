import {
  AlchemyAccountProvider,
  useAuthenticate,
  useLogout,
  useSendUserOperation,
  useSignerStatus,
  useSmartAccountClient,
  useUser,
} from '@account-kit/react'
import '@account-kit/react/styles.css'
import { QueryClientProvider } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { config, queryClient } from './config.ts'

function Home() {
  const user = useUser()
  const { isConnected } = useSignerStatus()
  const { authenticate } = useAuthenticate()
  const { client, address } = useSmartAccountClient({})
  const { sendUserOperation, sendUserOperationResult, error } = useSendUserOperation({ client, waitForTxn: true })
  const { logout } = useLogout()
  const [isAsked, setIsAsked] = useState(false)
  const read = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    return String(new FormData(event.currentTarget).get('value'))
  }
  if (!isConnected)
    return (
      <>
        <form
          onSubmit={(event) => {
            authenticate({ type: 'email', email: read(event), emailMode: 'otp' })
            setIsAsked(true)
          }}
        >
          <input name="value" aria-label="Email" />
          <button type="submit">Sign in</button>
        </form>
        {isAsked && (
          <form onSubmit={(event) => authenticate({ type: 'otp', otpCode: read(event) })}>
            <input name="value" aria-label="Code" />
            <button type="submit">Enter</button>
          </form>
        )}
      </>
    )
  return (
    <section>
      <p id="user">{user?.email}</p>
      <p id="owner">{user?.address}</p>
      <p id="address">{address}</p>
      <button
        type="button"
        disabled={!client}
        onClick={() => sendUserOperation({ uo: { target: '0x00000000000000000000000000000000000000aa', data: '0x' } })}
      >
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

const root = document.getElementById('root')
if (root)
  createRoot(root).render(
    <QueryClientProvider client={queryClient}>
      <AlchemyAccountProvider config={config} queryClient={queryClient}>
        <Home />
      </AlchemyAccountProvider>
    </QueryClientProvider>,
  )
