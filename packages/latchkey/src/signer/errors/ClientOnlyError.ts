import { BaseError } from '../../core/errors/BaseError.ts'

/** The signer was created outside of a browser page. */
export class ClientOnlyError extends BaseError {
  constructor() {
    super('signer is only available on the client', {
      code: 'CLIENT_ONLY',
      metaMessages: ['Create the signer in the browser, or pass `platform` to run it elsewhere.'],
      name: 'ClientOnlyError',
    })
  }
}
