import { useAuthModal, useChain, useLogout, useSigner, useSignerStatus, useUser } from 'latchkey/react'
import { lazy, Suspense, useEffect } from 'react'
import type { WalletConfig } from './config.ts'
import { Hero } from './parts/Hero.tsx'
import { Keyhole } from './parts/Icons.tsx'
import { clearActivity } from './state/activity.ts'

const loadWalletPage = () => import('./WalletPage.tsx')
/** Not needed before the sign-in. */
const WalletPage = lazy(async () => ({ default: (await loadWalletPage()).WalletPage }))

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
  const { openAuthModal, triggerProps, isOpen } = useAuthModal()
  const isReturning = useSigner()?.link?.hasBundle === true && isAuthenticating
  useEffect(() => {
    // Without it the page tries again when it is shown.
    if (isOpen) loadWalletPage().catch(() => undefined)
  }, [isOpen])
  // A user who signs in again stays on the page.
  if (isConnected || (isAuthenticating && user))
    return (
      <Suspense fallback={<p className="waiting">Opening your account…</p>}>
        <WalletPage config={config} />
      </Suspense>
    )
  if (isInitializing || isReturning) return <p className="waiting">Opening your wallet…</p>
  return (
    <Hero title="A wallet that opens with your e-mail">
      <p>
        No extension, no seed phrase, no gas to buy. Sign in with a link or a passkey, and your first operation is
        sponsored.
      </p>
      <button type="button" className="button primary" {...triggerProps} onClick={openAuthModal}>
        Sign in
      </button>
    </Hero>
  )
}

function Header() {
  const user = useUser()
  const { chain } = useChain()
  const { logout, isLoggingOut } = useLogout({ onSuccess: clearActivity })
  return (
    <header className="top">
      <div className="brand">
        <Keyhole size={22} />
        Latchkey wallet
      </div>
      <output className="pill quiet chain" aria-label="Chain">
        {chain.name} · {chain.id}
      </output>
      {user && (
        <div className="who">
          <span className="email">{user.email ?? 'Passkey'}</span>
          <button type="button" className="button small" disabled={isLoggingOut} onClick={() => logout()}>
            Log out
          </button>
        </div>
      )}
    </header>
  )
}
