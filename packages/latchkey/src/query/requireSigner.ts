import { BaseError } from '../core/errors/BaseError.ts'
import type { Signer } from '../signer/types.ts'
import { requirePage } from '../wallet/actions/account.ts'
import { getSigner } from '../wallet/actions/signer.ts'
import type { LatchkeyConfig } from '../wallet/store/types.ts'

/**
 * Returns the signer of `config`, even without a signed-in user.
 *
 * @throws `CLIENT_ONLY` on a server, `SIGNER_NOT_CONNECTED` if there is no signer yet.
 */
export function requireSigner(config: LatchkeyConfig): Signer {
  requirePage(config, 'signer')
  const signer = getSigner(config)
  if (signer) return signer
  throw new BaseError('Signer not connected', {
    code: 'SIGNER_NOT_CONNECTED',
    metaMessages: ['It is created when LatchkeyProvider mounts.'],
  })
}
