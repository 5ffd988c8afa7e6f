import {
  AuthCard,
  useAuthError,
  useLogout,
  useSendUserOperation,
  useSignerStatus,
  useSmartAccountClient,
  useUser,
} from '@account-kit/react'
import { AlchemySignerStatus } from '@account-kit/signer'
import { Settings } from './Settings.tsx'

const labels: Record<string, string> = {
  [AlchemySignerStatus.AWAITING_EMAIL_AUTH]: 'Look into your mail',
  [AlchemySignerStatus.AWAITING_OTP_AUTH]: 'Checking the code',
  [AlchemySignerStatus.AWAITING_SMS_AUTH]: 'Look at your phone',
  [AlchemySignerStatus.AWAITING_MFA_AUTH]: 'Second factor',
}

export function App() {
  const { isConnected, status } = useSignerStatus()
  return (
    <main className="bg-bg-surface-default text-fg-primary">
      <p className="akui-label">{labels[status]}</p>
      {isConnected ? <Wallet /> : <SignIn />}
    </main>
  )
}

function SignIn() {
  const error = useAuthError()
  return (
    <>
      <AuthCard />
      {error && <p role="alert">{error.message}</p>}
    </>
  )
}

function Wallet() {
  const user = useUser()
  const { client, address } = useSmartAccountClient({ type: 'ModularAccountV2' })
  const { sendUserOperation, sendUserOperationResult, isSendingUserOperation } = useSendUserOperation({
    client,
    waitForTxn: true,
  })
  const { logout, isLoggingOut } = useLogout()
  return (
    <section>
      <p id="user">{user?.email}</p>
      <p id="owner">{user?.address}</p>
      <p id="address">{address}</p>
      <button
        type="button"
        className="akui-btn akui-btn-primary"
        disabled={!client || isSendingUserOperation}
        onClick={() =>
          sendUserOperation({ uo: [{ target: '0x00000000000000000000000000000000000000aa', data: '0x' }] })
        }
      >
        Send
      </button>
      <p id="sent">{sendUserOperationResult?.hash}</p>
      <Settings />
      <button type="button" disabled={isLoggingOut} onClick={() => logout()}>
        Sign out
      </button>
    </section>
  )
}
