import { createConfig, latchkeyDevnet } from 'latchkey'
import { LatchkeyProvider, useAuthModal, useSendUserOperation, useSmartAccountClient } from 'latchkey/react'
import 'latchkey/styles.css'
const config = createConfig(latchkeyDevnet('http://localhost:4100'))
export default function App() {
  return <LatchkeyProvider config={config}><Wallet /></LatchkeyProvider>
}
function Wallet() {
  const { openAuthModal, triggerProps } = useAuthModal()
  const { client, address } = useSmartAccountClient({ type: 'LightAccount', gasManagerConfig: { policyId: 'default' } })
  const { sendUserOperation, sendUserOperationResult, isSendingUserOperation, error } = useSendUserOperation({ client, waitForTxn: true })
  const act = () => (address ? sendUserOperation({ uo: { target: address, data: '0x' } }) : openAuthModal())
  const status = isSendingUserOperation ? 'Sending …' : (error?.message ?? sendUserOperationResult?.hash)
  return (
    <>
      <button type="button" {...triggerProps} disabled={isSendingUserOperation} onClick={act}>
        {address ? `Send from ${address}` : 'Sign in'}
      </button>
      <p role="status">{status}</p>
    </>
  )
}
