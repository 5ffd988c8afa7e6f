import { createElement, type ReactElement, useCallback, useEffect, useId, useMemo, useState } from 'react'
import { createChunk } from '../../core/createChunk.ts'
import type { BaseError } from '../../core/errors/BaseError.ts'
import { ChunkFailedError } from '../../core/errors/ChunkFailedError.ts'
import { runnerChunk } from '../../signer/openSigner.ts'
import { useAuthModalContext, useLatchkeyContext } from '../context.ts'
import type { InlineCardProps } from './InlineCard.tsx'
import type { AuthUiConfig, UiConfig } from './uiConfig.ts'

/** Chunk listed in `wallet/chunks.ts`. It shares most of its code with the dialog. */
const cardChunk = /* @__PURE__ */ createChunk({ name: 'sign-in', import: () => import('./InlineCard.tsx') })

export declare namespace AuthCard {
  /** Options that override the provider's `uiConfig.auth` for this card. */
  type Props = AuthUiConfig
}

type Module = { InlineCard: (props: InlineCardProps) => ReactElement | null }

const className = 'lk-dialog lk-inline'
const buttonClass = 'lk-button lk-button-primary'

/**
 * Renders the sign-in inside the page, with the same steps as the dialog. Renders nothing while a user is signed in. If
 * an e-mail link opens this page, the card completes the sign-in.
 *
 * @throws `PROVIDER_MISSING`.
 *
 * @example
 * ```tsx
 * import { AuthCard } from 'latchkey/react'
 * import 'latchkey/styles.css'
 *
 * export function SignInPage() {
 *   return <AuthCard header="Welcome" sections={[[{ type: 'passkey' }], [{ type: 'email' }]]} />
 * }
 * ```
 */
export function AuthCard(props: AuthCard.Props): ReactElement {
  const { config } = useLatchkeyContext('AuthCard')
  const { uiConfig, register } = useAuthModalContext('AuthCard')
  const titleId = useId()
  const [module, setModule] = useState<Module>()
  const [failure, setFailure] = useState<BaseError>()
  const load = useCallback(() => {
    setFailure(undefined)
    cardChunk.load().then(setModule, (error: unknown) => {
      if (error instanceof ChunkFailedError) setFailure(error)
    })
  }, [])
  useEffect(() => register('card'), [register])
  useEffect(load, [load])

  const merged = useMerged(uiConfig, props)
  if (module) return createElement(module.InlineCard, { config, uiConfig: merged, onWanted: runnerChunk.prefetch })
  if (failure) {
    const title = createElement('h2', { className: 'lk-heading', id: titleId }, failure.shortMessage)
    const advice = createElement('p', null, failure.metaMessages[0])
    const message = createElement('div', { className: 'lk-message', role: 'alert' }, title, advice)
    const retry = createElement('button', { type: 'button', className: buttonClass, onClick: load }, 'Retry')
    const card = createElement('div', { className: 'lk-card' }, message, retry)
    return createElement('section', { className, 'aria-labelledby': titleId }, card)
  }
  return createElement('section', { className, 'aria-busy': true, 'data-theme': merged.theme })
}

function useMerged(uiConfig: UiConfig, props: AuthUiConfig): UiConfig {
  const given = Object.entries(props).filter(([, value]) => value !== undefined)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new object with the same members changes nothing
  return useMemo(
    () => ({ ...uiConfig, auth: { ...uiConfig.auth, ...Object.fromEntries(given) } }),
    [uiConfig, ...Object.values(props), Object.keys(props).join()],
  )
}
