'use client'

import {
  useAuthenticate,
  useAuthModal,
  useLogout,
  useSendUserOperation,
  useSignerStatus,
  useSmartAccountClient,
  useUser,
} from '@account-kit/react'

export default function Home() {
  const user = useUser()
  const { openAuthModal } = useAuthModal()
  const { authenticate } = useAuthenticate()
  const { isInitializing, status } = useSignerStatus()
  const { client } = useSmartAccountClient({})
  const { logout } = useLogout()
  const { sendUserOperation, sendUserOperationResult, isSendingUserOperation } = useSendUserOperation({
    client,
    waitForTxn: true,
    onSuccess: ({ hash, request }) => console.log(hash, request?.sender),
    onError: (error) => console.error(error.message),
  })
  if (isInitializing) return <p>Loading</p>
  if (status === 'AWAITING_OTP_AUTH') return <p>Checking the code</p>
  if (!user)
    return (
      <main>
        <button type="button" onClick={openAuthModal}>
          Sign in
        </button>
        <button type="button" onClick={() => authenticate({ type: 'oauth', authProviderId: 'google', mode: 'popup' })}>
          Google
        </button>
      </main>
    )
  return (
    <main>
      <p id="user">{user.email ?? 'anonymous'}</p>
      <p id="owner">{user.address}</p>
      <p id="address">{user.type === 'eoa' ? user.address : client?.account.address}</p>
      <button
        type="button"
        disabled={!client || isSendingUserOperation}
        onClick={() =>
          sendUserOperation({
            uo: { target: '0x00000000000000000000000000000000000000aa', data: '0x', value: BigInt(0) },
          })
        }
      >
        Send
      </button>
      <p id="sent">{sendUserOperationResult?.hash}</p>
      <button type="button" onClick={() => logout()}>
        Sign out
      </button>
    </main>
  )
}
