import type { MultiFactor } from 'latchkey-protocol'
import { BaseError } from '../../core/errors/BaseError.ts'

/** The user has a second factor, which an e-mail link needs before it is mailed. */
export class MfaRequiredError extends BaseError {
  readonly multiFactors: readonly MultiFactor[]

  constructor(multiFactors: readonly MultiFactor[], cause?: unknown) {
    super('MFA is required for this user', {
      code: 'MFA_REQUIRED',
      metaMessages: ['Repeat the call with `multiFactors`, or without `emailMode` to be asked after the code.'],
      cause,
      name: 'MfaRequiredError',
    })
    this.multiFactors = multiFactors
  }
}
