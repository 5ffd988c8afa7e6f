import { BaseError } from '../../core/errors/BaseError.ts'
import type { Signer } from '../../signer/types.ts'
import { getSigner } from '../../wallet/actions/signer.ts'
import type { LatchkeyConfig } from '../../wallet/store/types.ts'

/** The signer of `config`, whatever its status. Throws 'Signer not connected' where there is none yet. */
export function signerOf(config: LatchkeyConfig): Signer {
  const signer = getSigner(config)
  if (signer) return signer
  throw new BaseError('Signer not connected', {
    code: 'SIGNER_NOT_CONNECTED',
    metaMessages: ['The signer is made in the browser, when LatchkeyProvider has mounted.'],
  })
}
