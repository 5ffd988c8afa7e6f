import { BaseError } from '../../core/errors/BaseError.ts'

/** The call requires a session. */
export class NotAuthenticatedError extends BaseError {
  constructor() {
    super('Signer not authenticated. Please authenticate to use this signer', {
      code: 'SIGNER_NOT_AUTHENTICATED',
      docsPath: '/signer',
      name: 'NotAuthenticatedError',
    })
  }
}
