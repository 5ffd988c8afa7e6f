import { BaseError } from '../../core/errors/BaseError.ts'
import type { Signer } from '../../signer/types.ts'
import { getSigner } from '../../wallet/actions/signer.ts'
import type { LatchkeyConfig } from '../../wallet/store/types.ts'

/**
 * The signer of `config`, signed in or not.
 *
 * @throws `SIGNER_NOT_CONNECTED` where none has been made yet.
 */
export function requireSigner(config: LatchkeyConfig): Signer {
  const signer = getSigner(config)
  if (signer) return signer
  throw new BaseError('Signer not connected', {
    code: 'SIGNER_NOT_CONNECTED',
    metaMessages: ['The signer is made in the browser, when LatchkeyProvider has mounted.'],
  })
}
