import { useEffect, useRef } from 'react'
import type { LatchkeyConfig } from '../../wallet/store/types.ts'
import { AuthModal } from './AuthModal.tsx'
import { Boundary } from './Boundary.tsx'
import { withTerms } from './rootProps.ts'
import { LanguageContext } from './texts/language.ts'
import { prefetchLanguage, useLoadedLanguage } from './texts/loadLanguage.ts'
import type { AuthUiConfig, OwnerSelection, UiConfig } from './uiConfig.ts'
import { useAuthFlow } from './useAuthFlow.ts'

export type DialogActions = { open: () => void; close: () => void; addOwner: (owner: OwnerSelection) => void }

export type AuthDialogProps = {
  config: LatchkeyConfig
  uiConfig: UiConfig
  opensItself: () => boolean
  /**
   * Called with functions that open and close the dialog, once the dialog listens to the signer. Called with null when
   * the dialog is unmounted.
   */
  onActions: (actions: DialogActions | null) => void
  onOpenChange: (isOpen: boolean) => void
}

const noAuth: AuthUiConfig = {}

/** Preloads the dialog's other chunks. */
export function prefetch(locale: string | undefined): void {
  prefetchLanguage(locale)
}

/** Renders the sign-in dialog and its state machine, which are not in the first load. */
export function AuthDialog(props: AuthDialogProps) {
  const onFailed = () => props.onOpenChange(false)
  return <Boundary onFailed={onFailed} render={(key) => <FlowDialog key={key} {...props} />} />
}

function FlowDialog({ config, uiConfig, opensItself, onActions, onOpenChange }: AuthDialogProps) {
  const flow = useAuthFlow(config, uiConfig.auth ?? noAuth, opensItself, 'dialog')
  const { open, close, addOwner } = flow
  const { isOpen } = flow.state
  useEffect(() => {
    onActions({ open, close, addOwner })
    return () => onActions(null)
  }, [open, close, addOwner, onActions])
  const reported = useRef(false)
  useEffect(() => {
    if (reported.current === isOpen) return
    reported.current = isOpen
    onOpenChange(isOpen)
  }, [isOpen, onOpenChange])
  const language = useLoadedLanguage(uiConfig.locale)
  if (!language) return null
  return (
    <LanguageContext.Provider value={language}>
      <AuthModal flow={flow} uiConfig={withTerms(uiConfig, config)} />
    </LanguageContext.Provider>
  )
}
