import { createConfig } from 'latchkey'
import { sepolia } from 'latchkey/chains'
import { AlchemyAccountProvider, useSendUserOperation, useSmartAccountClient } from 'latchkey/react'
import 'latchkey/styles.css'
const config = createConfig({ chain: sepolia, apiKey: 'YOUR_API_KEY' })
const uiConfig = { auth: { sections: [[{ type: 'email' }], [{ type: 'passkey' }]] } } as const
export const App = () => (
  <AlchemyAccountProvider config={config} uiConfig={uiConfig}>
    <Send />
  </AlchemyAccountProvider>
)
// Defined outside of the component. The version keeps the account's address, and the policy pays for gas.
const accountParams = { version: 'v2.0.0' } as const
const gasManagerConfig = { policyId: 'your-policy' }
function Send() {
  const { client, address } = useSmartAccountClient({ type: 'LightAccount', accountParams, gasManagerConfig })
  const { sendUserOperation } = useSendUserOperation({ client, waitForTxn: true })
  const send = () => address && sendUserOperation({ uo: { target: address, data: '0x' } })
  return <button type="button" onClick={send}>Send</button>
}
