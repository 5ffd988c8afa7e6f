import { BaseError } from './errors/BaseError.ts'

/**
 * Says at once that there is no network, before anything is prepared or signed.
 *
 * @throws `NETWORK_UNREACHABLE`.
 */
export function requireOnline(): void {
  // Not every runtime has a navigator.
  if (globalThis.navigator?.onLine !== false) return
  throw new BaseError('You are offline. Nothing was sent.', {
    code: 'NETWORK_UNREACHABLE',
    metaMessages: ['Connect to the network and try again: nothing is done by itself later.'],
  })
}
