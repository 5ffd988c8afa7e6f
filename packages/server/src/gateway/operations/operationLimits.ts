/** Limits of waiting for operations, per gateway replica. */
export const operationLimits = {
  /** Maximum milliseconds that one request waits. */
  maxWaitMs: 30_000,
  /** Concurrent waiting requests of one IP address, of one project and in total. */
  waits: { ip: 20, project: 1_000, all: 5_000 },
  /** Concurrent event streams. */
  streams: { ip: 5, project: 20, all: 500 },
  /** Maximum duration of a stream, so that a removed key loses access; clients reconnect automatically. */
  maxStreamMs: 600_000,
  /** Interval of the comments that keep proxies from closing an idle stream. */
  heartbeatMs: 15_000,
  /** Events per query. */
  eventsAtOnce: 100,
} as const
