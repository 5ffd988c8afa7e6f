import type { OauthAnswer } from 'latchkey-protocol'

/** The answer of a provider, and where it goes. */
export type Returned = { answer: OauthAnswer; isPopup: boolean; returnUrl: URL }

/**
 * Reads a provider's answer from the page's query. Its `state` is `popup` or `page`, a random part and the app's
 * address in base64url, separated by dots; the app that made it checks it. Null unless the address is on an origin of
 * the server's projects: the answer goes to no other page.
 */
export function readAnswer(search: string, allowedOrigins: readonly string[]): Returned | null {
  const query = new URLSearchParams(search)
  const state = query.get('state') ?? ''
  const [mode, , address = ''] = state.split('.')
  const returnUrl = readUrl(address)
  if (!returnUrl || !allowedOrigins.includes(returnUrl.origin)) return null
  const answer: OauthAnswer = { state }
  for (const name of ['code', 'iss', 'error'] as const) {
    const value = query.get(name)
    if (value !== null) answer[name] = value
  }
  return { answer, isPopup: mode === 'popup', returnUrl }
}

function readUrl(encoded: string): URL | null {
  try {
    const url = new URL(atob(encoded.replaceAll('-', '+').replaceAll('_', '/')))
    return /^https?:$/.test(url.protocol) ? url : null
  } catch {
    return null
  }
}
