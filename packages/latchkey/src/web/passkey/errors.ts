import { BaseError } from '../../core/errors/BaseError.ts'

// Short messages in lower case are the documented texts and part of the API.

export function passkeyUnsupportedError(): BaseError {
  return new BaseError('webauthn is not supported by this browser', {
    code: 'PASSKEY_UNSUPPORTED',
    metaMessages: ['Open the page over https (or on localhost) in a browser with passkeys, or sign in by e-mail.'],
  })
}

export function unknownTransportError(transport: string): BaseError {
  return new BaseError('unsupported transport format', {
    code: 'PASSKEY_TRANSPORT_UNKNOWN',
    metaMessages: [
      `The authenticator says it is reached by "${transport.slice(0, 40)}". Use another device or security key.`,
    ],
  })
}

/** What a rejected WebAuthn call means (WebAuthn Level 3 §§ 5.1.3, 5.1.4), in words for the person at the screen. */
export function passkeyError(cause: unknown, doing: 'create' | 'use'): BaseError {
  if (cause instanceof BaseError) return cause
  const name = cause instanceof Error ? cause.name : ''
  if (name === 'NotAllowedError' || name === 'AbortError' || name === 'TimeoutError') {
    return new BaseError('The passkey prompt was closed, or no passkey was chosen in time.', {
      code: 'PASSKEY_CANCELLED',
      metaMessages: ['Try again and follow the steps on the device, or sign in by e-mail.'],
      cause,
    })
  }
  const failed = (message: string, hint: string) =>
    new BaseError(message, { code: 'PASSKEY_FAILED', metaMessages: [hint], cause })
  if (name === 'InvalidStateError' && doing === 'create') {
    return failed('This device already has a passkey for this account.', 'Sign in with it, or use another device.')
  }
  if (name === 'SecurityError') {
    return failed(
      'This page may not use passkeys of the configured relying party.',
      "Set `rpId` to the page's own host name or to a registrable parent of it.",
    )
  }
  return failed(
    doing === 'create' ? 'The passkey could not be made.' : 'The passkey could not be used.',
    'Try again, or use another device.',
  )
}
