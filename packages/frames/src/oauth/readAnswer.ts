import type { OauthAnswer } from 'latchkey-protocol'

/** Response of a provider and its destination. */
export type Returned = { answer: OauthAnswer; isPopup: boolean; returnUrl: URL }

/**
 * Reads a provider's response from the page's query. `state` consists of `popup` or `page`, a random part and the app's
 * URL in base64url, separated by dots; the app verifies it. Returns null unless the URL has an origin of the server's
 * projects, because no other page may receive the response.
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
