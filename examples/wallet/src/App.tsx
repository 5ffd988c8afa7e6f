import { useAuthModal, useSignerStatus, useUser } from 'latchkey/react'
import type { WalletConfig } from './config.ts'
import { Header } from './parts/Header.tsx'
import { Hero } from './parts/Hero.tsx'
import { WalletPage } from './WalletPage.tsx'

type AppProps = { config: WalletConfig }

export function App(props: AppProps) {
  return (
    <>
      <Header />
      <Main {...props} />
    </>
  )
}

function Main({ config }: AppProps) {
  const { isConnected, isAuthenticating, isInitializing } = useSignerStatus()
  const user = useUser()
  const { openAuthModal } = useAuthModal()
  // Whoever signs in again stays on their page.
  if (isConnected || (isAuthenticating && user)) return <WalletPage config={config} />
  if (isInitializing) return <p className="waiting">Opening your wallet…</p>
  return (
    <Hero title="A wallet that opens with your e-mail">
      <p>
        No extension, no seed phrase, no gas to buy. Sign in with a link or a passkey, and your first operation is
        sponsored.
      </p>
      <button type="button" className="button primary" onClick={openAuthModal}>
        Sign in
      </button>
    </Hero>
  )
}
