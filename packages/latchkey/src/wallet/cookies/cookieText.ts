import { toSignerStatus } from '../store/clientState.ts'
import type { InitialState } from '../store/types.ts'
import { mapConfigs, readInitialState, writeInitialState } from './initialState.ts'

/**
 * Maximum size of name, value and attributes in bytes. Browsers store up to 4096 bytes, but servers limit the total
 * size of request headers.
 */
const maxBytes = 2048
/** Size of the attributes Path, Expires, SameSite and Secure. */
const attributeBytes = 96

/** Reductions of a state that is too long, applied in this order until the state fits. */
const shorter: readonly ((state: InitialState) => InitialState)[] = [
  (state) => state,
  withoutOwners,
  ({ user, ...state }) => withoutOwners({ ...state, user: user && { ...user, credentialId: undefined } }),
  ({ user, ...state }) => ({ ...state, user: user && { ...user, credentialId: undefined }, accountConfigs: {} }),
  ({ chainId }) => ({ chainId, signerStatus: toSignerStatus('DISCONNECTED'), accountConfigs: {} }),
]

/** Encodes a state as a cookie value. With name and attributes, the cookie has fewer than 2,048 bytes. */
export function toCookieText(name: string, state: InitialState, expiresAtMs: number): string {
  const texts = shorter.map((shorten) => () => encode(writeInitialState(shorten(state), expiresAtMs)))
  for (const text of texts) {
    const value = text()
    if (name.length + 1 + value.length + attributeBytes < maxBytes) return value
  }
  return ''
}

/** Reads the state of a cookie in a `Cookie` header. */
export function readCookieHeader(header: string, name: string): InitialState | undefined {
  for (const pair of header.split(';')) {
    const [key, ...parts] = pair.trim().split('=')
    if (key !== name) continue
    const state = readInitialState(decode(parts.join('=')))
    if (state) return state
  }
  return undefined
}

function withoutOwners(state: InitialState): InitialState {
  return { ...state, accountConfigs: mapConfigs(state.accountConfigs, ({ owners: _, ...config }) => config) }
}

/**
 * Percent-encodes a text, except for characters that are allowed in cookies and frequent in JSON (RFC 6265 § 4.1.1).
 */
function encode(text: string): string {
  return encodeURIComponent(text).replace(/%(?:7B|7D|3A|5B|5D)/g, decodeURIComponent)
}

function decode(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    return ''
  }
}
