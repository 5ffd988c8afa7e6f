import { createConfig } from 'latchkey'
import { defineLatchkeyDevChain } from 'latchkey/chains'
import { LatchkeyProvider, useAuthModal, useConfirmation, useOwners, useUser } from 'latchkey/react'
import { latchkeyEndpoints } from 'latchkey/signer'
import { createElement as h } from 'react'
import { createRoot } from 'react-dom/client'
import 'latchkey/styles.css'

// A page that offers a backup key after a sign-up, and at any time by a button.

const { nodeUrl, gatewayUrl, signerApiUrl, apiKey, policyId, chainId } = window.given
const chain = defineLatchkeyDevChain({ nodeUrl, gatewayUrl, id: chainId })
const config = createConfig({ chain, apiKey, endpoints: latchkeyEndpoints(signerApiUrl) })
const owner = { type: 'MultiOwnerLightAccount', gasManagerConfig: { policyId } } as const

function App() {
  const { openAuthModal } = useAuthModal()
  const user = useUser()
  const { chains, openDialog } = useOwners(owner)
  const isWaiting = useConfirmation() !== null
  const kinds = chains?.flatMap(({ owners }) => owners.map(({ kind }) => kind)).join()
  return h(
    'main',
    null,
    h('button', { type: 'button', onClick: user ? openDialog : openAuthModal }, user ? 'Owners' : 'Sign in'),
    h('output', { id: 'account' }, chains?.[0]?.address),
    h('output', { id: 'kinds' }, kinds),
    h('output', { id: 'waiting' }, String(isWaiting)),
  )
}

const uiConfig = { auth: { addOwnerOnSignup: owner } }
const place = document.getElementById('root') as HTMLElement
createRoot(place).render(h(LatchkeyProvider, { config, uiConfig }, h(App)))
