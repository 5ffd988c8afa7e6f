import { createConfig } from 'latchkey'
import { sepolia } from 'latchkey/chains'
import { AlchemyAccountProvider, useAuthModal, useSendUserOperation, useSmartAccountClient } from 'latchkey/react'
import 'latchkey/styles.css'
const config = createConfig({ chain: sepolia, apiKey: 'YOUR_API_KEY' })
const uiConfig = { auth: { sections: [[{ type: 'email' }], [{ type: 'passkey' }]] } } as const
export const App = () => (
  <AlchemyAccountProvider config={config} uiConfig={uiConfig}>
    <Wallet />
  </AlchemyAccountProvider>
)
function Wallet() {
  const { openAuthModal, triggerProps } = useAuthModal()
  const { client, address } = useSmartAccountClient({ type: 'LightAccount', gasManagerConfig: { policyId: 'your-policy' } })
  const { sendUserOperation } = useSendUserOperation({ client, waitForTxn: true })
  const act = () => (address ? sendUserOperation({ uo: { target: address, data: '0x' } }) : openAuthModal())
  return <button type="button" {...triggerProps} onClick={act}>{address ?? 'Sign in'}</button>
}
