import { BaseError } from '../../core/errors/BaseError.ts'

// The lower-case short messages are documented and part of the API.

/** The browser does not support passkeys, or does not allow them on this page. */
export class PasskeyUnsupportedError extends BaseError {
  constructor() {
    super('webauthn is not supported by this browser', {
      code: 'PASSKEY_UNSUPPORTED',
      metaMessages: ['Open the page over https (or on localhost) in a browser with passkeys, or sign in by email.'],
      name: 'PasskeyUnsupportedError',
    })
  }
}

/** The protocol defines no name for the new passkey's transport. */
export class PasskeyTransportUnknownError extends BaseError {
  constructor(transport: string) {
    super('unsupported transport format', {
      code: 'PASSKEY_TRANSPORT_UNKNOWN',
      metaMessages: [
        `The authenticator reports the transport "${transport.slice(0, 40)}". Use another device or security key.`,
      ],
      name: 'PasskeyTransportUnknownError',
    })
  }
}

const again = 'Try again and follow the steps on the device, or sign in by email.'

export class PasskeyCancelledError extends BaseError {
  constructor(cause: unknown) {
    super('The passkey prompt was closed, or there was no passkey to choose.', {
      code: 'PASSKEY_CANCELLED',
      metaMessages: [again],
      cause,
      name: 'PasskeyCancelledError',
    })
  }
}

export class PasskeyTimeoutError extends BaseError {
  constructor(cause: unknown) {
    super('The passkey prompt was not answered in time.', {
      code: 'PASSKEY_TIMEOUT',
      metaMessages: [again],
      cause,
      name: 'PasskeyTimeoutError',
    })
  }
}

/** The authenticator already contains one of the excluded passkeys (WebAuthn L3 § 5.4.3). */
export class PasskeyExistsError extends BaseError {
  constructor(cause: unknown) {
    super('This device already has a passkey for this account.', {
      code: 'PASSKEY_EXISTS',
      metaMessages: ['Sign in with it, or add one on another device.'],
      cause,
      name: 'PasskeyExistsError',
    })
  }
}

/** The browser or the authenticator refused the request. `hint` contains advice. */
export class PasskeyFailedError extends BaseError {
  constructor(shortMessage: string, hint: string, cause: unknown) {
    super(shortMessage, { code: 'PASSKEY_FAILED', metaMessages: [hint], cause, name: 'PasskeyFailedError' })
  }
}

type Attempt = {
  doing: 'create' | 'use'
  /** Relying party ID passed to the browser. */
  rpId: string | undefined
  tookMs: number
  /** Time limit of the prompt; undefined if the browser decides. */
  timeoutMs: number | undefined
}

// Browsers use at most five minutes by default.
const longestMs = 300_000

/** Converts a rejected WebAuthn call (WebAuthn L3 §§ 5.1.3, 5.1.4) to an error with text for the user. */
export function passkeyError(cause: unknown, attempt: Attempt): BaseError {
  if (cause instanceof BaseError) return cause
  const { name } = Object(cause) as { name?: unknown }
  const failed = (message: string, hint: string) => new PasskeyFailedError(message, hint, cause)
  if (name === 'NotAllowedError' || name === 'AbortError' || name === 'TimeoutError') {
    if (name === 'NotAllowedError' && isForbiddenHere(attempt.doing)) {
      return failed(
        'The site that embeds this page does not allow passkeys here.',
        'Add `allow="publickey-credentials-get; publickey-credentials-create"` to its <iframe>, or open this page in its own tab.',
      )
    }
    return name !== 'AbortError' && isLate(attempt, name)
      ? new PasskeyTimeoutError(cause)
      : new PasskeyCancelledError(cause)
  }
  if (name === 'InvalidStateError' && attempt.doing === 'create') {
    return new PasskeyExistsError(cause)
  }
  if (name === 'SecurityError') {
    return failed(
      `${window.location.hostname} may not use passkeys of ${attempt.rpId}.`,
      'Set `rpId` to this host or a registrable parent of it, or list it at /.well-known/webauthn there.',
    )
  }
  return failed(`The passkey could not be ${attempt.doing === 'create' ? 'created' : 'used'}.`, again)
}

/** Detects a timeout by the elapsed time: browsers report the same error name for a closed and an expired prompt. */
function isLate({ tookMs, timeoutMs = longestMs }: Attempt, name: string): boolean {
  return name === 'TimeoutError' || tookMs >= Math.min(timeoutMs, longestMs)
}

/** Checks the permissions policy of a framed page (WebAuthn L3 § 5.9), if the browser exposes it. */
function isForbiddenHere(doing: Attempt['doing']): boolean {
  const { featurePolicy } = document as { featurePolicy?: { allowsFeature(name: string): boolean } }
  return featurePolicy?.allowsFeature(`publickey-credentials-${doing === 'create' ? 'create' : 'get'}`) === false
}
