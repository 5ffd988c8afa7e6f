import { BaseError } from '../../core/errors/BaseError.ts'

// Errors of signing in and out. The short messages are documented and part of the API.

/** The caller passed a bundle or a code, but its organization is unknown. */
export class EmailInitSessionMissingError extends BaseError {
  constructor() {
    super('Could not find email auth init session!', {
      code: 'EMAIL_INIT_SESSION_MISSING',
      metaMessages: ['Open the newest link in the browser where you started, or get a new email.'],
      name: 'EmailInitSessionMissingError',
    })
  }
}

/** The frame could not decrypt the bundle of the e-mail link. */
export class BundleInjectionError extends BaseError {
  constructor(cause?: unknown) {
    super('Failed to inject credential bundle', {
      code: 'BUNDLE_INJECTION_FAILED',
      metaMessages: ['The link is for another browser, has expired or is damaged. Get a new email in this browser.'],
      cause,
      name: 'BundleInjectionError',
    })
  }
}

export class NoOrgIdError extends BaseError {
  constructor() {
    super('No orgId provided', {
      code: 'NO_ORG_ID',
      metaMessages: ['Pass `orgId`, or authenticate first.'],
      name: 'NoOrgIdError',
    })
  }
}

/** The service has no user with the chosen passkey. */
export class NoUserFoundError extends BaseError {
  constructor(cause?: unknown) {
    super('No user found', {
      code: 'NO_USER_FOUND',
      metaMessages: ["There's no account for this passkey. Choose another, or sign in by email."],
      cause,
      name: 'NoUserFoundError',
    })
  }
}

/** A newer sign-in replaced this call. Not shown to the user. */
export class SupersededError extends BaseError {
  constructor() {
    super('A newer sign-in has replaced this one.', { code: 'SUPERSEDED', name: 'SupersededError' })
  }
}

/** The user did not use the e-mail's link or code in time. */
export class LinkExpiredError extends BaseError {
  constructor() {
    super('The sign-in link has expired.', {
      code: 'LINK_EXPIRED',
      metaMessages: ['Get a new email.'],
      name: 'LinkExpiredError',
    })
  }
}

/** The user, a sign-out or the app's `signal` cancelled the call. */
export class AbortedError extends BaseError {
  constructor(shortMessage = 'The sign-in was cancelled.', cause?: unknown) {
    super(shortMessage, { code: 'ABORTED', cause, name: 'AbortedError' })
  }
}

/** Creates the error for calls that are pending when the session ends. */
export function signedOutError(): AbortedError {
  return new AbortedError('You signed out before this finished.')
}
