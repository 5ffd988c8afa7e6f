import { Button } from '@latchkey/ui/Button'
import { useAuthModal, useChain, useLogout, useSession, useSigner, useSignerStatus, useUser } from 'latchkey/react'
import { lazy, Suspense, useEffect, useRef } from 'react'
import type { WalletConfig } from './config.ts'
import { formatMinutes } from './format.ts'
import { Hero, Opening } from './parts/Hero.tsx'
import { Keyhole } from './parts/Icons.tsx'
import { OfflineBar } from './parts/OfflineBar.tsx'
import { clearNotes } from './state/activity.ts'
import { forgetSessionKeys } from './state/sessionKeys.ts'

const loadWalletPage = () => import('./WalletPage.tsx')
/** Page of a signed-in user, in its own chunk, so that the first load stays small. */
const WalletPage = lazy(async () => ({ default: (await loadWalletPage()).WalletPage }))
const SessionNotices = lazy(async () => ({ default: (await loadWalletPage()).SessionNotices }))

type AppProps = { config: WalletConfig }

export function App(props: AppProps) {
  return (
    <>
      <Header />
      <Main {...props} />
      <Dock />
    </>
  )
}

/**
 * Renders all lasting notices at the bottom of the window. It is the last element of the page, so it covers nothing.
 */
function Dock() {
  const user = useUser()
  return (
    <div className="dock">
      {user && (
        <Suspense>
          <SessionNotices />
        </Suspense>
      )}
      <OfflineBar />
    </div>
  )
}

function Main({ config }: AppProps) {
  const { isConnected, isDisconnected, isAuthenticating, isInitializing } = useSignerStatus()
  const user = useUser()
  const { ended } = useSession()
  const { openAuthModal, triggerProps, isOpen } = useAuthModal()
  useFocusAfterLogOut(isConnected)
  const isReturning = useSigner()?.link?.hasBundle === true && isAuthenticating
  useEffect(() => {
    // A failed preload is ignored, because rendering the page loads the chunk again.
    if (isOpen) loadWalletPage().catch(() => undefined)
  }, [isOpen])
  useEffect(() => {
    // Runs in every tab, even if the user signed out in another tab.
    if (isDisconnected) forgetSessionKeys()
  }, [isDisconnected])
  // Keeps the page while a user signs in again.
  if (isConnected || (isAuthenticating && user))
    return (
      <Suspense fallback={<Opening what="account" />}>
        <WalletPage config={config} />
      </Suspense>
    )
  if (isInitializing || isReturning) return <Opening what="wallet" />
  if (ended)
    return (
      <Hero
        title={
          ended.reason === 'time'
            ? `You were signed out after ${formatMinutes(ended.lifeMs)}`
            : 'You were signed out from another browser'
        }
      >
        <p>Your account is just as you left it. Sign in to continue.</p>
        <Button look="primary" {...triggerProps} onClick={openAuthModal}>
          Sign in again
        </Button>
      </Hero>
    )
  return (
    <Hero title="A wallet that opens with your email">
      <p>No extension, no recovery phrase to write down, no network fees. Sign in with an email link or a passkey.</p>
      <Button look="primary" {...triggerProps} onClick={openAuthModal}>
        Sign in
      </Button>
    </Hero>
  )
}

/** Moves the focus to the heading if signing out has removed the focused element. */
function useFocusAfterLogOut(isConnected: boolean) {
  const wasConnected = useRef(false)
  useEffect(() => {
    const isLost = wasConnected.current && !isConnected && document.activeElement === document.body
    if (isLost) document.querySelector('h1')?.focus()
    wasConnected.current = isConnected
  }, [isConnected])
}

function Header() {
  const user = useUser()
  const { chain } = useChain()
  const { logout, isLoggingOut } = useLogout({ onSuccess: clearNotes })
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
          <Button look="small" isBusy={isLoggingOut} onClick={() => logout()}>
            Log out
          </Button>
        </div>
      )}
    </header>
  )
}
