import { BaseError } from '../../core/errors/BaseError.ts'

// Short messages in lower case are the documented texts and part of the API.

/** The browser has no passkeys, or not on this page. */
export class PasskeyUnsupportedError extends BaseError {
  constructor() {
    super('webauthn is not supported by this browser', {
      code: 'PASSKEY_UNSUPPORTED',
      metaMessages: ['Open the page over https (or on localhost) in a browser with passkeys, or sign in by e-mail.'],
      name: 'PasskeyUnsupportedError',
    })
  }
}

/** The new passkey sits on a device that the wire has no name for. */
export class PasskeyTransportUnknownError extends BaseError {
  constructor(transport: string) {
    super('unsupported transport format', {
      code: 'PASSKEY_TRANSPORT_UNKNOWN',
      metaMessages: [
        `The authenticator says it is reached by "${transport.slice(0, 40)}". Use another device or security key.`,
      ],
      name: 'PasskeyTransportUnknownError',
    })
  }
}

const again = 'Try again and follow the steps on the device, or sign in by e-mail.'

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

/** One of the passkeys that were excluded is on the device (WebAuthn L3 § 5.4.3). */
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

/** The browser or the authenticator refused; `hint` says what to do. */
export class PasskeyFailedError extends BaseError {
  constructor(shortMessage: string, hint: string, cause: unknown) {
    super(shortMessage, { code: 'PASSKEY_FAILED', metaMessages: [hint], cause, name: 'PasskeyFailedError' })
  }
}

type Attempt = {
  doing: 'create' | 'use'
  /** The relying party that the browser was asked for. */
  rpId: string | undefined
  tookMs: number
  /** How long the person had; undefined where the browser decides. */
  timeoutMs: number | undefined
}

// Browsers choose within five minutes and less where the page does not say.
const longestMs = 300_000

/** What a rejected WebAuthn call means (WebAuthn L3 §§ 5.1.3, 5.1.4), in words for the person at the screen. */
export function passkeyError(cause: unknown, attempt: Attempt): BaseError {
  if (cause instanceof BaseError) return cause
  const name = cause instanceof Error ? cause.name : ''
  const failed = (message: string, hint: string) => new PasskeyFailedError(message, hint, cause)
  if (name === 'NotAllowedError' || name === 'AbortError' || name === 'TimeoutError') {
    if (name === 'NotAllowedError' && isForbiddenHere(attempt.doing)) {
      return failed(
        'The page around this one does not let it use passkeys.',
        'Add `allow="publickey-credentials-get; publickey-credentials-create"` to its <iframe>, or open this page by itself.',
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
  return failed(`The passkey could not be ${attempt.doing === 'create' ? 'made' : 'used'}.`, again)
}

/** Browsers give one name to a prompt closed and a prompt run out, so that pages cannot tell: the clock can. */
function isLate({ tookMs, timeoutMs = longestMs }: Attempt, name: string): boolean {
  return name === 'TimeoutError' || tookMs >= Math.min(timeoutMs, longestMs)
}

/** Permissions policy of a page in a frame (WebAuthn L3 § 5.9), where the browser reports it. */
function isForbiddenHere(doing: Attempt['doing']): boolean {
  const { featurePolicy } = document as { featurePolicy?: { allowsFeature(name: string): boolean } }
  return featurePolicy?.allowsFeature(`publickey-credentials-${doing === 'create' ? 'create' : 'get'}`) === false
}
