import { useSendUserOperation, useSmartAccountClient } from 'latchkey/react'

/** An operation without any effect, sponsored by the devnet's policy. */
export function Send() {
  const { client, address } = useSmartAccountClient({
    type: 'LightAccount',
    gasManagerConfig: { policyId: 'default' },
  })
  const { sendUserOperation, sendUserOperationResult, isSendingUserOperation, error } = useSendUserOperation({
    client,
    waitForTxn: true,
  })
  if (!address) return <p>Your account shows here when you are signed in.</p>
  return (
    <>
      <p>Account {address}</p>
      <button
        type="button"
        disabled={isSendingUserOperation}
        onClick={() => sendUserOperation({ uo: { target: address, data: '0x' } })}
      >
        Send
      </button>
      <p role="status">{error?.message ?? sendUserOperationResult?.hash}</p>
    </>
  )
}
