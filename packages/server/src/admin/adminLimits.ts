import type { Limit } from '../platform/limits/rateLimit.ts'

/** Limits per client IP address or operator, and maximum sizes of responses. */
export type AdminLimits = {
  /** Requests from one client IP address, counted before the key is checked. */
  requestsPerIp: Limit
  /** Sign-ins to the console from one client IP address. */
  signInsPerIp: Limit
  readsPerOperator: Limit
  /** Writes of one operator, including refused ones, since each adds a log entry. */
  writesPerOperator: Limit
}

const minute = 60_000

export const defaultAdminLimits: AdminLimits = {
  requestsPerIp: { limit: 1_200, windowMs: minute },
  signInsPerIp: { limit: 30, windowMs: minute },
  readsPerOperator: { limit: 1_200, windowMs: minute },
  writesPerOperator: { limit: 120, windowMs: minute },
}

export const adminBounds = {
  bodyBytes: 64 * 1024,
  /** Maximum rows per page. */
  page: { usual: 50, most: 200 },
  /** Maximum number of days in one spend query. */
  spendDays: 92,
  /**
   * Maximum hours of an hourly overview, maximum days of a daily one, and maximum number of projects per user count.
   */
  overviewHours: 24 * 14,
  overviewDays: 92,
  overviewProjects: 1_000,
  /** Maximum number of dead webhooks that one call replays. */
  replays: 1_000,
  /** Maximum number of log entries that one call verifies. */
  checkedEntries: 1_000,
  /** Maximum number of concurrent event streams. */
  streams: { ip: 20, project: 20, all: 100 },
  /** Milliseconds between checks that a stream's operator still has access. */
  recheckMs: 10_000,
} as const
