import { BaseError } from '../../core/errors/BaseError.ts'

// Errors for signer service responses that contradict the pinned values or custody.

export declare namespace EndpointsChangedError {
  type Parameters = {
    /** Member of the server's configuration that differs. */
    name: string
    /** Expected origin of custody or a frame. */
    expected: string
    actual: string
    /** Whether the app pinned the expected value. Otherwise it is from this browser's first visit. */
    isPinned: boolean
  }
}

/** The signer service returned an origin for custody or a frame that differs from the pinned origin. */
export class EndpointsChangedError extends BaseError {
  constructor({ name, expected, actual, isPinned }: EndpointsChangedError.Parameters) {
    super(`The signer service names a different origin for ${name}: ${actual} instead of ${expected}.`, {
      code: 'ENDPOINTS_CHANGED',
      metaMessages: [
        isPinned
          ? 'The app pins the expected origin. If the server has moved, update it there. Otherwise do not trust the service.'
          : 'This browser remembers the expected origin from its first visit. If the server has moved, pin its new origins in the app: `latchkeyEndpoints(url, { pinned })`. Otherwise do not trust the service.',
      ],
      name: 'EndpointsChangedError',
    })
  }
}

/** The signer service returned an account address for this credential without custody's valid signature. */
export class AccountUnprovenError extends BaseError {
  constructor(why: string) {
    super('We could not verify that this account is yours, so it was not opened.', {
      code: 'ACCOUNT_UNPROVEN',
      metaMessages: [why],
      name: 'AccountUnprovenError',
    })
  }
}
