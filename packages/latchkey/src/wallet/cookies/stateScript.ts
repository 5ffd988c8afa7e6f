import type { InitialState } from '../store/types.ts'
import { readInitialState, writeInitialState } from './initialState.ts'

/**
 * Serializes state for a `<script type="application/json">` and escapes it, because the state may contain hostile
 * names. For servers that write their own HTML; React server components can pass the state directly.
 *
 * @example
 * ```ts
 * import { cookieToInitialState, serializeInitialState } from 'latchkey'
 * import { config } from './config.ts'
 *
 * export function stateScript(cookie: string | undefined) {
 *   const text = serializeInitialState(cookieToInitialState(config, cookie))
 *   return `<script type="application/json" id="state">${text}</script>`
 * }
 * ```
 */
export function serializeInitialState(state: InitialState | undefined): string {
  if (!state) return 'null'
  return writeInitialState(state).replace(/[<>&\u2028\u2029]/g, toEscape)
}

/**
 * Parses the output of `serializeInitialState`. Returns undefined if it is missing.
 *
 * @example
 * ```ts
 * import { parseInitialState } from 'latchkey'
 *
 * const initialState = parseInitialState(document.getElementById('state')?.textContent)
 * ```
 */
export function parseInitialState(text: string | null | undefined): InitialState | undefined {
  return readInitialState(text ?? '')
}

function toEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
