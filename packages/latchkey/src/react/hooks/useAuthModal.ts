import { useEffect } from 'react'
import { useAuthModalContext } from '../context.ts'

export declare namespace useAuthModal {
  type ReturnType = { isOpen: boolean; openAuthModal: () => void; closeAuthModal: () => void }
}

/**
 * Opens and closes the sign-in dialog.
 *
 * @throws `PROVIDER_MISSING`.
 *
 * @example
 * ```tsx
 * import { useAuthModal } from 'latchkey/react'
 *
 * export function SignIn() {
 *   const { openAuthModal } = useAuthModal()
 *   return <button onClick={openAuthModal}>Sign in</button>
 * }
 * ```
 */
export function useAuthModal(): useAuthModal.ReturnType {
  const { isOpen, openAuthModal, closeAuthModal, registerUse } = useAuthModalContext('useAuthModal')
  useEffect(registerUse, [registerUse])
  return { isOpen, openAuthModal, closeAuthModal }
}
