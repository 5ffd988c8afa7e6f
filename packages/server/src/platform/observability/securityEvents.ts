import type { ErrorCode } from 'latchkey-protocol'
import type { Logger } from './logger.ts'

/** Security events of refusals, by error code. Log lines and counters use the same names. */
const refusals = {
  OIDC_TOKEN_INVALID: 'refused',
  MFA_INVALID: 'wrong_code',
  OTP_INVALID: 'wrong_code',
  SIGNATURE_INVALID: 'bad_stamp',
  SIGNATURE_MISSING: 'bad_stamp',
  PUBLIC_KEY_NOT_FOUND: 'bad_stamp',
  CREDENTIAL_NOT_FOUND: 'bad_stamp',
  UNAUTHENTICATED: 'refused',
  API_KEY_NOT_ALLOWED: 'refused',
  REQUEST_NOT_AUTHORIZED: 'refused',
  INVALID_ACTIVITY_CALLER: 'refused',
  FOREIGN_CREDENTIAL: 'refused',
  ORGANIZATION_MISMATCH: 'refused',
  ORIGIN_NOT_ALLOWED: 'refused',
  REDIRECT_NOT_ALLOWED: 'refused',
  POLICY_REFUSED: 'policy_refused',
  POLICY_NOT_FOUND: 'policy_refused',
  RATE_LIMIT_EXCEEDED: 'rate_limited',
} as const satisfies Partial<Record<ErrorCode, string>>

/** Completed activities by type without version; null if not an event. */
const activities = {
  ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION: 'account_created',
  ACTIVITY_TYPE_EMAIL_AUTH: null,
  ACTIVITY_TYPE_OTP_AUTH: 'session_started',
  ACTIVITY_TYPE_INIT_OTP: null,
  ACTIVITY_TYPE_VERIFY_OTP: null,
  ACTIVITY_TYPE_CREATE_READ_WRITE_SESSION: 'session_started',
  ACTIVITY_TYPE_CREATE_READ_ONLY_SESSION: 'session_started',
  ACTIVITY_TYPE_STAMP_LOGIN: 'session_started',
  ACTIVITY_TYPE_OAUTH: 'session_started',
  ACTIVITY_TYPE_OAUTH_LOGIN: 'session_started',
  ACTIVITY_TYPE_SIGN_RAW_PAYLOAD: null,
  ACTIVITY_TYPE_SIGN_RAW_PAYLOADS: null,
  ACTIVITY_TYPE_SIGN_TRANSACTION: null,
  ACTIVITY_TYPE_CREATE_WALLET: null,
  ACTIVITY_TYPE_CREATE_WALLET_ACCOUNTS: null,
  ACTIVITY_TYPE_EXPORT_WALLET: 'exported',
  ACTIVITY_TYPE_EXPORT_WALLET_ACCOUNT: 'exported',
  ACTIVITY_TYPE_EXPORT_PRIVATE_KEY: 'exported',
  ACTIVITY_TYPE_INIT_IMPORT_WALLET: null,
  ACTIVITY_TYPE_IMPORT_WALLET: 'imported',
  ACTIVITY_TYPE_INIT_IMPORT_PRIVATE_KEY: null,
  ACTIVITY_TYPE_IMPORT_PRIVATE_KEY: 'imported',
  ACTIVITY_TYPE_NOTE_MOVE_FAILURE: null,
  ACTIVITY_TYPE_CREATE_AUTHENTICATORS: 'credential_added',
  ACTIVITY_TYPE_DELETE_AUTHENTICATORS: 'credential_removed',
  ACTIVITY_TYPE_CREATE_API_KEYS: 'credential_added',
  ACTIVITY_TYPE_DELETE_API_KEYS: 'credential_removed',
  ACTIVITY_TYPE_CREATE_OAUTH_PROVIDERS: 'credential_added',
  ACTIVITY_TYPE_DELETE_OAUTH_PROVIDERS: 'credential_removed',
  ACTIVITY_TYPE_CREATE_MULTI_FACTOR: null,
  ACTIVITY_TYPE_ACTIVATE_MULTI_FACTOR: 'credential_added',
  ACTIVITY_TYPE_DELETE_MULTI_FACTORS: 'credential_removed',
  ACTIVITY_TYPE_LIST_MULTI_FACTORS_BY_WORD: null,
  ACTIVITY_TYPE_CREATE_MULTI_FACTOR_BY_WORD: null,
  ACTIVITY_TYPE_ACTIVATE_MULTI_FACTOR_BY_WORD: 'credential_added',
  ACTIVITY_TYPE_DELETE_MULTI_FACTORS_BY_WORD: 'credential_removed',
  ACTIVITY_TYPE_UPDATE_USER: 'user_changed',
  ACTIVITY_TYPE_UPDATE_USER_EMAIL: 'user_changed',
  ACTIVITY_TYPE_UPDATE_USER_NAME: 'user_changed',
  ACTIVITY_TYPE_DELETE_SUB_ORGANIZATION: 'deletion_planned',
  ACTIVITY_TYPE_CANCEL_DELETION: 'deletion_cancelled',
  ACTIVITY_TYPE_SET_SPENDING_RULES: 'user_changed',
  ACTIVITY_TYPE_OPERATOR_END_SESSIONS: 'sessions_revoked',
  ACTIVITY_TYPE_OPERATOR_REMOVE_CREDENTIAL: 'credential_removed',
  ACTIVITY_TYPE_OPERATOR_FREEZE: 'account_frozen',
  ACTIVITY_TYPE_OPERATOR_UNFREEZE: 'account_unfrozen',
  ACTIVITY_TYPE_APPROVE_ACTIVITY: null,
  ACTIVITY_TYPE_REJECT_ACTIVITY: null,
} as const satisfies Record<string, string | null>

type Refusal = (typeof refusals)[keyof typeof refusals]
/** An event of a completed activity or of a mail's link. */
export type DoneEvent =
  | NonNullable<(typeof activities)[keyof typeof activities]>
  | 'confirmation_asked'
  | 'confirmation_given'
  | 'confirmation_refused'
  | 'keys_destroyed'
type SecurityEvent = Refusal | DoneEvent

/** Maximum log lines per event type and second, so that an attack does not fill the disk. Counters count all events. */
const maxLinesPerSecond = 20
/** Maximum logged length of a path, which the sender chooses. */
const maxPathLength = 100

const errors = new Map<ErrorCode, number>()
const counters = new Map<SecurityEvent, number>()
const windows = new Map<SecurityEvent, { second: number; lines: number }>()

/** Returns the count of each event since this process started. A log line contains its event's count as `count`. */
export function readSecurityCounters(): ReadonlyMap<SecurityEvent, number> {
  return counters
}

export function readErrorCounters(): ReadonlyMap<ErrorCode, number> {
  return errors
}

/** Returns the event of a completed activity; null if the activity is no event, undefined for an unknown type. */
export function findActivityEvent(type: string): DoneEvent | null | undefined {
  const name = type.replace(/_V\d+$/, '')
  return Object.hasOwn(activities, name) ? activities[name as keyof typeof activities] : undefined
}

/** A logged event. `fields`: ids. */
export type SecurityOccurrence = {
  event: SecurityEvent
  code?: ErrorCode | undefined
  count: number
  fields: Readonly<Record<string, unknown>>
}

const listeners = new WeakMap<Logger, (occurrence: SecurityOccurrence) => void>()

/** Calls `listener` for each event logged by this logger. Returns a function that removes the listener. */
export function listenForSecurityEvents(
  logger: Logger,
  listener: (occurrence: SecurityOccurrence) => void,
): () => void {
  listeners.set(logger, listener)
  return () => void listeners.delete(logger)
}

/** Counts and logs a completed event. `fields` contains only ids. */
export function noteDone(
  logger: Logger,
  { event, ...fields }: { event: DoneEvent; requestId: unknown } & Record<string, unknown>,
): void {
  const { isLogged, count } = countEvent(event)
  if (!isLogged) return
  logger.info({ event, count, ...fields }, 'Done')
  listeners.get(logger)?.({ event, count, fields })
}

/**
 * Counts an error response. Refusals that are security events are also logged, with code, path and request id, but
 * without request data. Roles omit paths that contain an API key.
 */
export function noteRefusal(
  logger: Logger,
  { code, path, ...fields }: { code: ErrorCode; path?: string; requestId: unknown } & Record<string, unknown>,
): void {
  errors.set(code, (errors.get(code) ?? 0) + 1)
  const event = Object.hasOwn(refusals, code) ? refusals[code as keyof typeof refusals] : undefined
  if (event === undefined) return
  const { isLogged, count } = countEvent(event)
  const where = path === undefined ? {} : { path: path.slice(0, maxPathLength) }
  if (!isLogged) return
  logger.warn({ event, count, code, ...where, ...fields }, 'Refused')
  listeners.get(logger)?.({ event, code, count, fields: { ...where, ...fields } })
}

function countEvent(event: SecurityEvent): { isLogged: boolean; count: number } {
  const count = (counters.get(event) ?? 0) + 1
  counters.set(event, count)
  const second = Math.floor(performance.now() / 1000)
  const window = windows.get(event)
  const lines = window?.second === second ? window.lines + 1 : 1
  windows.set(event, { second, lines })
  return { isLogged: lines <= maxLinesPerSecond, count }
}
