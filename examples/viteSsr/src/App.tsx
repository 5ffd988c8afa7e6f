import type { InitialState } from 'latchkey'
import {
  LatchkeyProvider,
  useAuthModal,
  useChain,
  useLogout,
  useSendUserOperation,
  useSignerStatus,
  useSmartAccountClient,
  useUser,
} from 'latchkey/react'
import { config } from './config.ts'

export function App({ path, initialState }: { path: string; initialState: InitialState | undefined }) {
  return (
    <LatchkeyProvider config={config} initialState={initialState} uiConfig={{}}>
      <main>
        <h1>Latchkey with Vite</h1>
        {path === '/callback' && <Callback />}
        <Wallet />
      </main>
    </LatchkeyProvider>
  )
}

/** Page that the e-mail's link opens. The provider reads the link from the URL and completes the sign-in. */
function Callback() {
  const { isConnected, isDisconnected } = useSignerStatus()
  if (isConnected) return <a href="/">Go on</a>
  return <p role="status">{isDisconnected ? 'Please sign in again.' : 'Signing you in …'}</p>
}

/** Renders the wallet. The server reads user and address from the cookie, before any script runs. */
function Wallet() {
  const user = useUser()
  const { chain } = useChain()
  const { openAuthModal, triggerProps } = useAuthModal()
  const { logout } = useLogout()
  const { client, address } = useSmartAccountClient({ type: 'LightAccount', gasManagerConfig: { policyId: 'default' } })
  const send = useSendUserOperation({ client, waitForTxn: true })
  if (!user) {
    return (
      <button type="button" {...triggerProps} onClick={openAuthModal}>
        Sign in
      </button>
    )
  }
  const ping = () => client && send.sendUserOperation({ uo: { target: client.account.address, data: '0x' } })
  return (
    <section aria-label="Wallet">
      <p>
        {user.email} on {chain.name}
      </p>
      <output aria-label="Account address">{address}</output>
      <button type="button" disabled={!client || send.isSendingUserOperation} onClick={ping}>
        Send
      </button>
      <button type="button" onClick={() => logout()}>
        Log out
      </button>
      <output aria-label="Transaction">{send.error?.message ?? send.sendUserOperationResult?.hash}</output>
    </section>
  )
}
