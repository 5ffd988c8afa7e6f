import type { BaseError } from '../core/errors/BaseError.ts'
import { webPage } from '../web/webPage.ts'
import { ClientOnlyError } from './errors/ClientOnlyError.ts'
import { openSigner, runnerChunk } from './openSigner.ts'
import type { Signer, SignerParameters } from './types.ts'

export declare namespace createSigner {
  type Parameters = SignerParameters
  type ReturnType = Signer
  type ErrorType = BaseError
}

/**
 * Creates a signer whose key is stored by a key-custody service. The signer restores the stored session, completes the
 * sign-in of the e-mail link that opened this page, and syncs with other tabs of the page.
 *
 * @throws `CLIENT_ONLY` (there is neither a page nor a `platform`).
 *
 * @example
 * ```ts
 * import { createSigner, latchkeyEndpoints } from 'latchkey/signer'
 *
 * const signer = createSigner({
 *   client: { connection: { apiKey: 'project-key' }, endpoints: latchkeyEndpoints('http://localhost:4101') },
 * })
 * signer.on('statusChanged', (status) => console.log(status))
 * const user = await signer.authenticate({ type: 'email', email: 'ann@example.com' })
 * const signature = await signer.signMessage(`I am ${user.email}`)
 * ```
 */
export function createSigner(parameters: createSigner.Parameters): createSigner.ReturnType {
  const page = parameters.platform ?? webPage()
  if (!page) throw new ClientOnlyError()
  const { signer, start } = openSigner({ ...parameters, page })
  runnerChunk.prefetch()
  // Deferred, so that the caller can subscribe before the first status change.
  queueMicrotask(start)
  return signer
}
