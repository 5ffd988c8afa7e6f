import type { Limit } from '../platform/limits/rateLimit.ts'

/** What one client address or operator may do, and how much one response holds. */
export type AdminLimits = {
  /** Requests from one client address, before the key is looked at. */
  requestsPerIp: Limit
  /** Sign-ins to the console from one client address. */
  signInsPerIp: Limit
  readsPerOperator: Limit
  /** Refused ones count, too: each is an entry of the log. */
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
  /** Rows of a page. */
  page: { usual: 50, most: 200 },
  /** Days that one question about spend may cover. */
  spendDays: 92,
  /** What one overview covers: by hour, by day; and how many projects it takes the users of. */
  overviewHours: 24 * 14,
  overviewDays: 92,
  overviewProjects: 1_000,
  /** Dead webhooks that one call sends again. */
  replays: 1_000,
  /** Entries of the log that one call proves. */
  checkedEntries: 1_000,
  /** Event streams at a time. */
  streams: { ip: 20, project: 20, all: 100 },
  /** How often an open stream asks whether its operator may still read. */
  recheckMs: 10_000,
} as const
