import {
  createAccount,
  createConfig,
  disconnect,
  getSigner,
  getSignerStatus,
  getSmartAccountClient,
  hydrate,
  latchkeyEndpoints,
  watchSignerStatus,
} from 'latchkey'
import { defineLatchkeyDevChain } from 'latchkey/chains'

// Shared by the three examples without React. Uses the devnet of `npm start` by default.

const { VITE_SIGNER_API_URL, VITE_GATEWAY_URL, VITE_NODE_URL } = import.meta.env

const config = createConfig({
  chain: defineLatchkeyDevChain({ gatewayUrl: VITE_GATEWAY_URL, nodeUrl: VITE_NODE_URL }),
  apiKey: 'latchkey-dev',
  endpoints: latchkeyEndpoints(VITE_SIGNER_API_URL ?? 'http://localhost:4101'),
})

const type = 'LightAccount'

/** State that a page shows. */
export type View = { status: 'starting' | 'signed out' | 'signed in'; address?: string }

/**
 * Calls `show` immediately and after each change. Completes an e-mail link, or restores the session of an earlier
 * visit.
 */
export function watchWallet(show: (view: View) => void): () => void {
  const update = async () => {
    const { isConnected, isInitializing } = getSignerStatus(config)
    if (!isConnected) return show({ status: isInitializing ? 'starting' : 'signed out' })
    const { address } = await createAccount({ type }, config)
    show({ status: 'signed in', address })
  }
  const stop = watchSignerStatus(config)(update)
  update()
  hydrate(config).onMount()
  return stop
}

/** Sends a sign-in e-mail. Resolves once its link has been opened in any tab of this browser. */
export async function signIn(email: string): Promise<void> {
  await getSigner(config)?.authenticate({ type: 'email', email })
}

/** Sends an operation that the gas policy sponsors. Resolves to the transaction hash. */
export async function send(): Promise<string> {
  const { address } = await createAccount({ type }, config)
  const { client } = getSmartAccountClient({ type, gasManagerConfig: { policyId: 'default' } }, config)
  if (!client) throw new Error('Sign in first.')
  const { hash } = await client.sendUserOperation({ uo: { target: address, data: '0x' } })
  return client.waitForUserOperationTransaction({ hash })
}

/** Signs out in every tab. */
export async function logOut(): Promise<void> {
  await disconnect(config)
}
