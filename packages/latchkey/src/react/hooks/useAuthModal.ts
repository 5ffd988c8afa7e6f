import { useEffect } from 'react'
import { type TriggerProps, useAuthModalContext } from '../context.ts'

export declare namespace useAuthModal {
  type ReturnType = {
    /** True once the app has opened the dialog, even while the dialog's code is loading. */
    isOpen: boolean
    openAuthModal: () => void
    closeAuthModal: () => void
    /** Props for the button that opens the dialog. On pointer, focus or touch, they preload the dialog. */
    triggerProps: TriggerProps
  }
}

/**
 * Opens and closes the sign-in dialog, which is loaded on opening.
 *
 * @throws `PROVIDER_MISSING`.
 *
 * @example
 * ```tsx
 * import { useAuthModal } from 'latchkey/react'
 *
 * export function SignIn() {
 *   const { openAuthModal, triggerProps } = useAuthModal()
 *   return <button {...triggerProps} onClick={openAuthModal}>Sign in</button>
 * }
 * ```
 */
export function useAuthModal(): useAuthModal.ReturnType {
  const { isOpen, openAuthModal, closeAuthModal, triggerProps, register } = useAuthModalContext('useAuthModal')
  useEffect(() => register('hook'), [register])
  return { isOpen, openAuthModal, closeAuthModal, triggerProps }
}
