import { useEffect, useId, useRef, useSyncExternalStore } from 'react'
import { getSigner, watchSigner } from '../../wallet/actions/signer.ts'
import type { LatchkeyConfig } from '../../wallet/store/types.ts'
import { useUser } from '../hooks/useUser.ts'
import { CurrentStep, currentStepKey } from './AuthModal.tsx'
import { Boundary } from './Boundary.tsx'
import { rootProps, withTerms } from './rootProps.ts'
import { LanguageContext } from './texts/language.ts'
import { useLoadedLanguage } from './texts/loadLanguage.ts'
import type { AuthUiConfig, UiConfig } from './uiConfig.ts'
import { type AuthFlow, useAuthFlow } from './useAuthFlow.ts'

export type InlineCardProps = {
  config: LatchkeyConfig
  uiConfig: UiConfig
  /** Called on pointer or focus, to preload the sign-in code. */
  onWanted: () => void
}

const noAuth: AuthUiConfig = {}
const always = () => true

/** Renders the card and its state machine, which are not in the first load. */
export function InlineCard(props: InlineCardProps) {
  return <Boundary render={(key) => <FlowCard key={key} {...props} />} />
}

function FlowCard({ config, uiConfig, onWanted }: InlineCardProps) {
  const flow = useAuthFlow(config, uiConfig.auth ?? noAuth, always, 'card')
  const signer = useSyncExternalStore(
    watchSigner(config),
    () => getSigner(config),
    () => null,
  )
  const { open } = flow
  const { isOpen, step } = flow.state
  const isComplete = step.type === 'complete'
  // The state machine is open while the card shows a step, including the wait for an e-mail that was sent before a
  // reload.
  useEffect(() => {
    if (signer && !isOpen && !isComplete) open()
  }, [signer, isOpen, isComplete, open])

  const language = useLoadedLanguage(uiConfig.locale)
  const isSignedIn = useUser() !== null && step.type === 'initial' && !step.createPasskeyAfter && !step.addAfter
  if (!language || isComplete || isSignedIn) return null
  return (
    <LanguageContext.Provider value={language}>
      <AuthSection flow={flow} uiConfig={withTerms(uiConfig, config)} locale={language.locale} onWanted={onWanted} />
    </LanguageContext.Provider>
  )
}

type AuthSectionProps = { flow: AuthFlow; uiConfig: UiConfig; locale: string; onWanted: () => void }

export function AuthSection({ flow, uiConfig, locale, onWanted }: AuthSectionProps) {
  const titleId = useId()
  const ref = useRef<HTMLElement>(null)
  const hadFocus = useRef(false)
  const stepKey = currentStepKey(flow)
  const before = useRef(stepKey)
  // A new step receives the focus only if the previous step had it.
  useEffect(() => {
    if (before.current === stepKey) return
    before.current = stepKey
    const isLost = document.activeElement === document.body && hadFocus.current
    if (isLost || ref.current?.contains(document.activeElement))
      ref.current?.querySelector<HTMLElement>('[data-lk-focus]')?.focus()
  }, [stepKey])
  const wanted = () => {
    hadFocus.current = true
    onWanted()
  }
  return (
    <section
      ref={ref}
      {...rootProps(uiConfig, locale, 'lk-inline')}
      aria-labelledby={titleId}
      onPointerEnter={onWanted}
      onFocus={wanted}
      onBlur={(event) => {
        // Without a `relatedTarget`, the focused element may have just been removed.
        if (event.relatedTarget) hadFocus.current = false
      }}
    >
      <div className="lk-card">
        <CurrentStep flow={flow} uiConfig={uiConfig} titleId={titleId} />
      </div>
    </section>
  )
}
