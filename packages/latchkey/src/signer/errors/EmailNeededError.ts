import { BaseError } from '../../core/errors/BaseError.ts'

/** The identity provider does not prove its address, so its user signs in by e-mail first. */
export class EmailNeededError extends BaseError {
  /** Address to sign in with. */
  readonly email: string

  constructor(email: string) {
    super('The identity provider does not prove this email address.', {
      code: 'EMAIL_NEEDED',
      metaMessages: ['Sign in by email, then add the identity provider (`addProvider`).'],
      name: 'EmailNeededError',
    })
    this.email = email
  }
}
