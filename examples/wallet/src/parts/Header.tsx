import { useChain, useLogout, useUser } from 'latchkey/react'
import { clearActivity } from '../state/activity.ts'
import { Keyhole } from './Keyhole.tsx'

export function Header() {
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
