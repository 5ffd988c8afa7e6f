import { BaseError } from '../../core/errors/BaseError.ts'

/** The identity provider does not verify an e-mail address, so the user must sign in by e-mail first. */
export class EmailNeededError extends BaseError {
  /** E-mail address for the sign-in; undefined if the provider did not return one. */
  readonly email: string | undefined

  constructor(email: string | undefined) {
    super('The identity provider does not prove an email address.', {
      code: 'EMAIL_NEEDED',
      metaMessages: ['Sign in by email, then add the identity provider (`addProvider`).'],
      name: 'EmailNeededError',
    })
    this.email = email
  }
}
