import type { Activity, ErrorCode } from 'latchkey-protocol'
import { BaseError, toSentences } from '../../core/errors/BaseError.ts'
import type { HttpError } from '../../core/errors/HttpError.ts'

// Errors of requests to the services. The short messages are documented and part of the API.

/** The signer or key-custody service sent a response of unknown shape. */
export class ResponseInvalidError extends BaseError {
  constructor(what: string) {
    super(`The signer service returned ${what} in an unknown format.`, {
      code: 'RESPONSE_INVALID',
      metaMessages: ['Check that `rpcUrl` or `endpoints` name a signer service.'],
      name: 'ResponseInvalidError',
    })
  }
}

/** The service has no wallet with the user's address. */
export class WalletNotFoundError extends BaseError {
  constructor(address: string) {
    super(`Could not find wallet associated with ${address}`, {
      code: 'WALLET_NOT_FOUND',
      metaMessages: ['The key-custody service lists no wallet with this address for the signed-in user.'],
      name: 'WalletNotFoundError',
    })
  }
}

/** The service shows exported secrets only on its own confirmation page. */
export class SealRefusedError extends BaseError {
  constructor() {
    super('This service shows exports only on its own page and encrypts none to another service.', {
      code: 'REQUEST_NOT_AUTHORIZED',
      metaMessages: [
        'Its operator can allow it (`exportsTo: "frame"` of the project). Otherwise import the shown recovery phrase.',
      ],
      name: 'SealRefusedError',
    })
  }
}

/** The export frame refused the encrypted secret. */
export class ExportInjectionError extends BaseError {
  constructor(cause?: unknown) {
    super('Failed to inject wallet export bundle', {
      code: 'BUNDLE_INJECTION_FAILED',
      metaMessages: [
        'The export frame rejected the data from the key-custody service. Try again. If it keeps failing, do not trust the connection.',
      ],
      cause,
      name: 'ExportInjectionError',
    })
  }
}

/** The import frame refused the key for encrypting the secret. */
export class ImportInjectionError extends BaseError {
  constructor(cause?: unknown) {
    super('Failed to inject wallet import bundle', {
      code: 'BUNDLE_INJECTION_FAILED',
      metaMessages: [
        'The import frame rejected the data from the key-custody service. Try again. If it keeps failing, do not trust the connection.',
      ],
      cause,
      name: 'ImportInjectionError',
    })
  }
}

/** The account is being deleted. `signer.deletion` can cancel the deletion until the keys are destroyed. */
export class AccountDeletingError extends BaseError {
  /** Time at which the keys are destroyed, in milliseconds since 1970. */
  readonly dueAtMs: number
  constructor(dueAtMs: number, cause: BaseError) {
    super(cause instanceof CustodyError ? cause.serverMessage : cause.shortMessage, {
      code: 'ORGANIZATION_DELETING',
      metaMessages: ['`signer.deletion.cancel()` cancels the deletion, as does the link in its email.'],
      cause,
      name: 'AccountDeletingError',
    })
    this.dueAtMs = dueAtMs
  }
}

/** An activity failed or did not complete in time. */
export class ActivityFailedError extends BaseError {
  readonly activityId: string
  readonly status: string
  constructor({ id, status, failure }: Pick<Activity, 'id' | 'status' | 'failure'>) {
    const errorCode = readErrorCode(failure?.details)
    const isKnown = errorCode !== undefined && confirmationCodes.has(errorCode)
    super(`Failed to get activity with id ${id} (status: ${status})`, {
      code: isKnown ? (errorCode as ErrorCode) : 'ACTIVITY_FAILED',
      // The default message mentions an activity, a term that users do not know.
      shortMessage: isKnown ? failure?.message : undefined,
      metaMessages: [
        failure?.message ??
          'Try again. If it keeps failing, the key-custody service refuses the request or is overloaded.',
      ],
      name: 'ActivityFailedError',
    })
    this.activityId = id
    this.status = status
  }
}

const confirmationCodes: ReadonlySet<string> = new Set<ErrorCode>(['CONFIRMATION_EXPIRED', 'CONFIRMATION_REFUSED'])

// Error codes of custody that apps handle. Others are reported as HTTP_FAILED.
const ownCodes: ReadonlySet<string> = new Set<ErrorCode>([
  'MFA_INVALID',
  'MFA_REQUIRED',
  'ORGANIZATION_DELETING',
  'ORGANIZATION_FROZEN',
  'OTP_INVALID',
  'OTP_EXPIRED',
  'REQUEST_NOT_AUTHORIZED',
])

/** The key-custody service refused a request. `serverMessage` is the service's message, suitable for users. */
export class CustodyError extends BaseError {
  readonly status: number
  /** gRPC-style code: 3, 5, 7, 8, 13 or 16. */
  readonly custodyCode: number
  readonly serverMessage: string
  readonly turnkeyErrorCode: string | undefined
  readonly retryAfterMs: number | undefined
  constructor(custodyCode: number, cause: HttpError) {
    const { serverDetails, text, metaMessages, status, retryAfterMs } = cause
    const errorCode = readErrorCode(serverDetails)
    super(`Turnkey error ${custodyCode}: ${text}${toDetailsText(serverDetails)}`, {
      code: errorCode !== undefined && ownCodes.has(errorCode) ? (errorCode as ErrorCode) : 'HTTP_FAILED',
      shortMessage: toSentences(text),
      metaMessages,
      cause,
      name: 'CustodyError',
    })
    this.status = status
    this.custodyCode = custodyCode
    this.serverMessage = text
    this.turnkeyErrorCode = errorCode
    this.retryAfterMs = retryAfterMs
  }
}

function toDetailsText(details: unknown): string {
  return details === null || details === undefined ? '' : ` (Details: ${JSON.stringify(details)})`
}

function readErrorCode(details: unknown): string | undefined {
  const list: readonly unknown[] = Array.isArray(details) ? details : []
  const names = list.map((detail) => (detail as { turnkeyErrorCode?: unknown } | null)?.turnkeyErrorCode)
  return names.find((name): name is string => typeof name === 'string')
}
