'use client'

import { useAuthModal, useChain, useLogout, useSendUserOperation, useSmartAccountClient, useUser } from 'latchkey/react'

export default function Home() {
  return (
    <main>
      <h1>Latchkey with Next.js</h1>
      <Wallet />
    </main>
  )
}

/** Renders the wallet. The server reads user and address from the cookie, before any script runs. */
function Wallet() {
  const user = useUser()
  const { chain } = useChain()
  const { openAuthModal, triggerProps } = useAuthModal()
  const { logout } = useLogout()
  const { client, address } = useSmartAccountClient({ type: 'LightAccount', gasManagerConfig: { policyId: 'default' } })
  const send = useSendUserOperation({ client, waitForTxn: true })
  if (!user) {
    return (
      <button type="button" {...triggerProps} onClick={openAuthModal}>
        Sign in
      </button>
    )
  }
  const ping = () => client && send.sendUserOperation({ uo: { target: client.account.address, data: '0x' } })
  return (
    <section aria-label="Wallet">
      <p>
        {user.email} on {chain.name}
      </p>
      <output aria-label="Account address">{address}</output>
      <button type="button" disabled={!client || send.isSendingUserOperation} onClick={ping}>
        Send
      </button>
      <button type="button" onClick={() => logout()}>
        Log out
      </button>
      <output aria-label="Transaction">{send.error?.message ?? send.sendUserOperationResult?.hash}</output>
    </section>
  )
}
