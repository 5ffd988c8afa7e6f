import type { InitialState, LatchkeyConfig } from '../store/types.ts'
import { readCookieHeader } from './cookieText.ts'

export declare namespace cookieToInitialState {
  type ReturnType = InitialState | undefined
}

/**
 * Reads the state that `cookieStorage` wrote, for `initialState` of `LatchkeyProvider` or for `hydrate`. Returns
 * undefined if the cookie is missing, expired or of another version. Use the state only for the first render, not for
 * authentication: a client can send any cookie.
 *
 * @example
 * ```ts
 * import { cookieToInitialState } from 'latchkey'
 * import { config } from './config.ts'
 *
 * export function readState(request: Request) {
 *   return cookieToInitialState(config, request.headers.get('cookie'))
 * }
 * ```
 */
export function cookieToInitialState(
  config: LatchkeyConfig,
  cookie?: string | null | undefined,
): cookieToInitialState.ReturnType {
  return readCookieHeader(cookie ?? '', config._internal.storageKey)
}
