import { useEffect, useState } from 'react'
import { createChunk } from '../../../core/createChunk.ts'
import { type AuthOption, defaultSections, type UiConfig } from '../uiConfig.ts'

/** Loaded only by pages with identity providers. */
export const socialChunk = /* @__PURE__ */ createChunk({
  name: 'social sign-in',
  import: () => import('./SocialParts.tsx'),
})

/** UI for identity providers: undefined while it loads, null if loading failed. */
export type SocialParts = typeof import('./SocialParts.tsx') | null | undefined

const isShown = ({ type, provider }: AuthOption & { provider?: string }) =>
  type === 'email' || type === 'passkey' || (type === 'social' && !!provider)

/** Returns the sections without unsupported options of the published SDK, such as browser wallets. */
export function supportedSections({ auth = {} }: UiConfig): AuthOption[][] {
  return (auth.sections ?? defaultSections)
    .map((section) => section.filter(isShown))
    .filter((section) => section.length > 0)
}

/** Loads the UI for identity providers if the form contains any. */
export function useSocialParts(uiConfig: UiConfig): SocialParts {
  const isWanted = supportedSections(uiConfig)
    .flat()
    .some(({ type }) => type === 'social')
  const [parts, setParts] = useState<SocialParts>(socialChunk.loaded)
  useEffect(() => {
    if (isWanted && !parts) socialChunk.load().then(setParts, () => setParts(null))
  }, [isWanted, parts])
  return parts
}
