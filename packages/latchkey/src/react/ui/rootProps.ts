import type { CSSProperties } from 'react'
import type { LatchkeyConfig } from '../../wallet/store/types.ts'
import type { UiConfig } from './uiConfig.ts'

export type RootProps = {
  className: string
  lang: string
  style: CSSProperties
  'data-theme': UiConfig['theme']
  'data-lk-illustrations': UiConfig['illustrationStyle']
}

/** Returns the root element's props for theme and language, shared by dialog and card. */
export function rootProps(uiConfig: UiConfig, locale: string, place: 'lk-modal' | 'lk-inline'): RootProps {
  const { auth, modalBaseClassName, theme, tokens = {}, illustrationStyle } = uiConfig
  const classes = ['lk-dialog', place, place === 'lk-modal' && modalBaseClassName, auth?.className]
  return {
    className: classes.filter(Boolean).join(' '),
    lang: locale,
    style: Object.fromEntries(Object.entries(tokens).map(([name, value]) => [`--lk-${name}`, value])),
    'data-theme': theme,
    'data-lk-illustrations': illustrationStyle,
  }
}

const providerTerms = 'https://www.alchemy.com/terms-conditions/end-user-terms'

/**
 * Adds the terms of the service that stores the keys: built in for the hosted provider, configured for other servers.
 */
export function withTerms(uiConfig: UiConfig, config: LatchkeyConfig): UiConfig {
  const { connection, endpoints } = config.clientStore.getState().config
  const url = endpoints?.signerApiUrl ?? connection.rpcUrl
  const isHosted = url === undefined || /^https:\/\/([\w-]+\.)*alchemy\.com(\/|$)/.test(url)
  return isHosted && uiConfig.termsUrl === undefined ? { ...uiConfig, termsUrl: providerTerms } : uiConfig
}
