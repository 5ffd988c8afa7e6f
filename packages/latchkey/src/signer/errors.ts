import { BaseError } from '../core/errors/BaseError.ts'
import { HttpError } from '../core/errors/HttpError.ts'

// Short messages are the documented texts and part of the API.

export function notAuthenticatedError(): BaseError {
  return new BaseError('Signer not authenticated. Please authenticate to use this signer', {
    code: 'SIGNER_NOT_AUTHENTICATED',
    docsPath: '/signer',
  })
}

export function emailInitSessionMissingError(): BaseError {
  return new BaseError('Could not find email auth init session!', {
    code: 'EMAIL_INIT_SESSION_MISSING',
    metaMessages: ['Open the newest mail link in the browser that asked for it, or ask for a new mail.'],
  })
}

export function bundleInjectionError(cause?: unknown): BaseError {
  return new BaseError('Failed to inject credential bundle', {
    code: 'BUNDLE_INJECTION_FAILED',
    metaMessages: [
      'The link belongs to another browser, is too old or is damaged. Ask for a new mail in this browser.',
    ],
    cause,
  })
}

export function noOrgIdError(): BaseError {
  return new BaseError('No orgId provided', {
    code: 'NO_ORG_ID',
    metaMessages: ['Pass `orgId`, or authenticate first.'],
  })
}

export function supersededError(): BaseError {
  return new BaseError('A newer sign-in took the place of this one.', { code: 'SUPERSEDED' })
}

export function signedOutError(): BaseError {
  return new BaseError('Signed out before the sign-in was complete.', { code: 'ABORTED' })
}

export function clientOnlyError(): BaseError {
  return new BaseError('signer is only available on the client', {
    code: 'CLIENT_ONLY',
    metaMessages: ['Create the signer in the browser, or pass `platform` to run it elsewhere.'],
  })
}

export function responseInvalidError(what: string): BaseError {
  return new BaseError(`The signer service answered ${what} in a shape this client does not know.`, {
    code: 'RESPONSE_INVALID',
    metaMessages: ['Check that `rpcUrl` or `endpoints` name a signer service.'],
  })
}

function noUserFoundError(cause?: unknown): BaseError {
  return new BaseError('No user found', {
    code: 'NO_USER_FOUND',
    metaMessages: ['Nobody signed up with this passkey. Choose another, or sign in by e-mail.'],
    cause,
  })
}

const nobodyCodes = new Set<unknown>(['NO_USER_FOUND', 'CREDENTIAL_NOT_FOUND', 'NOT_FOUND', 5])

/** What a refused passkey log-in means: `NO_USER_FOUND` where the service knows nobody, else the error itself. */
export function toNoUserFoundError(error: unknown): unknown {
  if (!(error instanceof HttpError)) return error
  return error.status === 404 || nobodyCodes.has(error.serverCode) ? noUserFoundError(error) : error
}

export function walletNotFoundError(address: string): BaseError {
  return new BaseError(`Could not find wallet associated with ${address}`, {
    code: 'WALLET_NOT_FOUND',
    metaMessages: ['The key-custody service lists no wallet with this address for the person signed in.'],
  })
}

export function exportInjectionError(cause?: unknown): BaseError {
  return new BaseError('Failed to inject wallet export bundle', {
    code: 'BUNDLE_INJECTION_FAILED',
    metaMessages: [
      'The export frame refused what the key-custody service sent. Try again; if it stays so, do not trust the connection.',
    ],
    cause,
  })
}

export function activityFailedError(id: string, status: string): BaseError {
  return new BaseError(`Failed to get activity with id ${id} (status: ${status})`, {
    code: 'ACTIVITY_FAILED',
    metaMessages: ['Try again. If it stays so, the key-custody service refuses the request or is overloaded.'],
  })
}

/** A refusal by the key-custody service in the documented words; any other failure as it is. */
export function toCustodyError(error: unknown): unknown {
  if (!(error instanceof HttpError) || typeof error.serverCode !== 'number') return error
  const { serverDetails } = error
  const details =
    serverDetails === null || serverDetails === undefined ? '' : ` (Details: ${JSON.stringify(serverDetails)})`
  return new BaseError(`Turnkey error ${error.serverCode}: ${error.shortMessage}${details}`, {
    code: 'HTTP_FAILED',
    metaMessages: error.metaMessages,
    cause: error,
  })
}

const transientCodes = new Set<string>(['NETWORK_UNREACHABLE', 'TIMEOUT', 'ABORTED', 'FRAME_TIMEOUT'])

/** Whether trying the same thing again later may work: the session itself was not refused. */
export function isTransient(error: unknown): boolean {
  if (error instanceof HttpError) return error.status >= 500 || error.status === 429
  return error instanceof BaseError && transientCodes.has(error.code)
}
