import { useAuthModal, useLogout, useUser } from 'latchkey/react'

export function SignIn() {
  const { openAuthModal, triggerProps } = useAuthModal()
  const { logout } = useLogout()
  const user = useUser()
  if (!user) {
    return (
      <button type="button" {...triggerProps} onClick={() => openAuthModal()}>
        Sign in
      </button>
    )
  }
  return (
    <p>
      Signed in as {user.email ?? 'a passkey'}.{' '}
      <button type="button" onClick={() => logout()}>
        Log out
      </button>
    </p>
  )
}
