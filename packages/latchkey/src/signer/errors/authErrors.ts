import { BaseError } from '../../core/errors/BaseError.ts'

// Errors of signing in and out. Short messages are the documented texts and part of the API.

/** A bundle or a code was given, but its organization is unknown. */
export class EmailInitSessionMissingError extends BaseError {
  constructor() {
    super('Could not find email auth init session!', {
      code: 'EMAIL_INIT_SESSION_MISSING',
      metaMessages: ['Open the newest mail link in the browser that asked for it, or ask for a new mail.'],
      name: 'EmailInitSessionMissingError',
    })
  }
}

/** The frame could not open the bundle of the e-mail link. */
export class BundleInjectionError extends BaseError {
  constructor(cause?: unknown) {
    super('Failed to inject credential bundle', {
      code: 'BUNDLE_INJECTION_FAILED',
      metaMessages: [
        'The link belongs to another browser, is too old or is damaged. Ask for a new mail in this browser.',
      ],
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

/** The service knows no user with the chosen passkey. */
export class NoUserFoundError extends BaseError {
  constructor(cause?: unknown) {
    super('No user found', {
      code: 'NO_USER_FOUND',
      metaMessages: ['Nobody signed up with this passkey. Choose another, or sign in by e-mail.'],
      cause,
      name: 'NoUserFoundError',
    })
  }
}

/** Ends the older of two sign-ins; not shown to the user. */
export class SupersededError extends BaseError {
  constructor() {
    super('A newer sign-in took the place of this one.', { code: 'SUPERSEDED', name: 'SupersededError' })
  }
}

/** Neither the e-mail's link nor its code was used in time. */
export class LinkExpiredError extends BaseError {
  constructor() {
    super('The sign-in link of the mail has expired.', {
      code: 'LINK_EXPIRED',
      metaMessages: ['Ask for a new mail.'],
      name: 'LinkExpiredError',
    })
  }
}

/** Cancelled by the user, by signing out, or by the app's `signal`. */
export class AbortedError extends BaseError {
  constructor(shortMessage = 'The sign-in was cancelled.', cause?: unknown) {
    super(shortMessage, { code: 'ABORTED', cause, name: 'AbortedError' })
  }
}

/** Ends all pending work when the session ends. */
export function signedOutError(): AbortedError {
  return new AbortedError('Signed out before this was done.')
}
