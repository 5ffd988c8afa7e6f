import { useAuthModal, useLogout, useSendUserOperation, useSmartAccountClient, useUser } from 'latchkey/react'

export function Wallet() {
  const user = useUser()
  return user ? <Account name={user.email ?? 'Signed in by passkey'} /> : <SignIn />
}

function SignIn() {
  const { openAuthModal, triggerProps } = useAuthModal()
  return (
    <button type="button" {...triggerProps} onClick={openAuthModal}>
      Sign in
    </button>
  )
}

function Account({ name }: { name: string }) {
  const { client, address } = useSmartAccountClient({ type: 'LightAccount', gasManagerConfig: { policyId: 'default' } })
  const { sendUserOperation, sendUserOperationResult, isSendingUserOperation, error } = useSendUserOperation({
    client,
    waitForTxn: true,
  })
  const { logout } = useLogout()

  // The account calls itself, sponsored by the gas policy. Replace this call with a call of your contract.
  const send = () => address && sendUserOperation({ uo: { target: address, data: '0x' } })
  return (
    <>
      <p>{name}</p>
      <code>{address}</code>
      <button type="button" disabled={!client || isSendingUserOperation} onClick={send}>
        {isSendingUserOperation ? 'Sending …' : 'Send an operation'}
      </button>
      <p role="status">{error?.message ?? (sendUserOperationResult && `Included: ${sendUserOperationResult.hash}`)}</p>
      <button type="button" className="quiet" onClick={() => logout()}>
        Log out
      </button>
    </>
  )
}
