import { BaseError } from './errors/BaseError.ts'

/**
 * Throws while the browser is offline, before anything is prepared or signed.
 *
 * @throws `NETWORK_UNREACHABLE`.
 */
export function requireOnline(): void {
  // Some runtimes have no navigator.
  if (globalThis.navigator?.onLine !== false) return
  throw new BaseError('You are offline. Nothing was sent.', {
    code: 'NETWORK_UNREACHABLE',
    metaMessages: ['Reconnect and try again. Nothing is retried automatically.'],
  })
}
