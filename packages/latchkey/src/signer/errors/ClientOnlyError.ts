import { BaseError } from '../../core/errors/BaseError.ts'

/** There is no page to run in. */
export class ClientOnlyError extends BaseError {
  constructor() {
    super('signer is only available on the client', {
      code: 'CLIENT_ONLY',
      metaMessages: ['Create the signer in the browser, or pass `platform` to run it elsewhere.'],
      name: 'ClientOnlyError',
    })
  }
}
