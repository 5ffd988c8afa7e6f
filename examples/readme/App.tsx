import { createConfig, latchkeyEndpoints } from 'latchkey'
import { latchkeyDev } from 'latchkey/chains'
import { LatchkeyProvider, useAuthModal, useSendUserOperation, useSmartAccountClient } from 'latchkey/react'
import 'latchkey/styles.css'
const config = createConfig({ chain: latchkeyDev, apiKey: 'latchkey-dev', endpoints: latchkeyEndpoints('http://localhost:4101') })
export const App = () => <LatchkeyProvider config={config}><Wallet /></LatchkeyProvider>
function Wallet() {
  const { openAuthModal } = useAuthModal()
  const { client, address } = useSmartAccountClient({ type: 'LightAccount', gasManagerConfig: { policyId: 'default' } })
  const { sendUserOperation } = useSendUserOperation({ client })
  const act = () => (address ? sendUserOperation({ uo: { target: address, data: '0x' } }) : openAuthModal())
  return <button type="button" onClick={act}>{address ? `Send from ${address}` : 'Sign in'}</button>
}
