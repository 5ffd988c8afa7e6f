import { useEffect, useRef } from 'react'
import type { LatchkeyConfig } from '../../wallet/store/types.ts'
import { AuthModal } from './AuthModal.tsx'
import type { AuthUiConfig, UiConfig } from './uiConfig.ts'
import { useAuthFlow } from './useAuthFlow.ts'

export type DialogActions = { open: () => void; close: () => void }

export type AuthDialogProps = {
  config: LatchkeyConfig
  uiConfig: UiConfig
  opensItself: () => boolean
  /** Given what opens and closes the dialog, once it follows the signer. Null when it is removed. */
  onActions: (actions: DialogActions | null) => void
  onOpenChange: (isOpen: boolean) => void
}

const noAuth: AuthUiConfig = {}

/** The sign-in dialog with its flow. The first load leaves both out. */
export function AuthDialog({ config, uiConfig, opensItself, onActions, onOpenChange }: AuthDialogProps) {
  const flow = useAuthFlow(config, uiConfig.auth ?? noAuth, opensItself)
  const { open, close } = flow
  const { isOpen } = flow.state
  useEffect(() => {
    onActions({ open, close })
    return () => onActions(null)
  }, [open, close, onActions])
  const reported = useRef(false)
  useEffect(() => {
    if (reported.current === isOpen) return
    reported.current = isOpen
    onOpenChange(isOpen)
  }, [isOpen, onOpenChange])
  return <AuthModal flow={flow} uiConfig={uiConfig} />
}
