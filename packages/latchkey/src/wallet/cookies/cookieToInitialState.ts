import type { InitialState, LatchkeyConfig } from '../store/types.ts'
import { readCookieHeader } from './cookieText.ts'

export declare namespace cookieToInitialState {
  type ReturnType = InitialState | undefined
}

/**
 * What `cookieStorage` says to the server about the visitor of a page: for `initialState` of `LatchkeyProvider`, or
 * `hydrate`. Undefined without such a cookie, when it is past its end, and when it is not what this version writes. It says
 * what to show first, not who asks: a caller may send any cookie, so let no server decide by it.
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
