/** Limits of waiting for operations, of one copy of the gateway. */
export const operationLimits = {
  /** How long one request may wait. */
  maxWaitMs: 30_000,
  /** Held requests at a time, of one IP address, one project and all. */
  waits: { ip: 20, project: 1_000, all: 5_000 },
  /** Event streams at a time. */
  streams: { ip: 5, project: 20, all: 500 },
  /** A stream ends after this time, so that a removed key does not read on; clients come back by themselves. */
  maxStreamMs: 600_000,
  /** A comment this often keeps proxies from closing a quiet stream. */
  heartbeatMs: 15_000,
  /** Events that are read at a time. */
  eventsAtOnce: 100,
} as const
