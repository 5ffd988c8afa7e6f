import type { ErrorCode } from 'latchkey/wire'
import type { Logger } from './logger.ts'

/** What an operator watches for attacks, by the code of the refusal. Names are of log lines and counters. */
const eventsByCode = {
  OTP_INVALID: 'wrong_code',
  SIGNATURE_INVALID: 'bad_stamp',
  SIGNATURE_MISSING: 'bad_stamp',
  PUBLIC_KEY_NOT_FOUND: 'bad_stamp',
  CREDENTIAL_NOT_FOUND: 'bad_stamp',
  UNAUTHENTICATED: 'refused',
  REQUEST_NOT_AUTHORIZED: 'refused',
  INVALID_ACTIVITY_CALLER: 'refused',
  ORGANIZATION_MISMATCH: 'refused',
  ORIGIN_NOT_ALLOWED: 'refused',
  REDIRECT_NOT_ALLOWED: 'refused',
  RATE_LIMIT_EXCEEDED: 'rate_limited',
} as const satisfies Partial<Record<ErrorCode, string>>

export type SecurityEvent = (typeof eventsByCode)[keyof typeof eventsByCode]

/** Lines of one event in a second: an attack must not fill the disk. The counters count all. */
const maxLinesPerSecond = 20

const counters = new Map<SecurityEvent, number>()
const windows = new Map<SecurityEvent, { second: number; lines: number }>()

/** How often each event happened since this process started. */
export function readSecurityCounters(): ReadonlyMap<SecurityEvent, number> {
  return counters
}

/** Counts a refusal that is an event, and logs it: its code, its path and the request's id, nothing that was sent. */
export function noteRefusal(
  logger: Logger,
  { code, ...fields }: { code: ErrorCode; path: string; requestId: unknown },
): void {
  const event = Object.hasOwn(eventsByCode, code) ? eventsByCode[code as keyof typeof eventsByCode] : undefined
  if (event === undefined) return
  counters.set(event, (counters.get(event) ?? 0) + 1)
  const second = Math.floor(Date.now() / 1000)
  const window = windows.get(event)
  const lines = window?.second === second ? window.lines + 1 : 1
  windows.set(event, { second, lines })
  if (lines <= maxLinesPerSecond) logger.warn({ event, code, ...fields }, 'Refused')
}
