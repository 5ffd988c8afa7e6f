import { BaseError } from '../../core/errors/BaseError.ts'

/** An account has the address of the identity, which the provider does not prove. */
export class AccountExistsError extends BaseError {
  /** Address of the account. */
  readonly email: string

  constructor(email: string) {
    super('An account with this address exists already.', {
      code: 'ACCOUNT_EXISTS',
      metaMessages: ['Sign in by email, then add the identity provider (`addProvider`).'],
      name: 'AccountExistsError',
    })
    this.email = email
  }
}
