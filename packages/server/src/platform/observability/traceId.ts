/** Ids that the client assigned to its own work, for log lines: one per page load, one per action. */
export type Trace = { traceId?: string; clientTraceId?: string }

/**
 * Returns a request's trace: `traceparent` (W3C Trace Context § 3.2), and the id that published clients send with each
 * action. Drops ids of any other form, since callers can send any text.
 */
export function readTrace(header: (name: string) => string | undefined): Trace {
  const [, traceId] = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}$/.exec(header('traceparent') ?? '') ?? []
  const clientTraceId = header('x-alchemy-client-trace-id')
  return {
    ...(traceId !== undefined && { traceId }),
    ...(clientTraceId !== undefined && /^[0-9a-f]{16,32}$/.test(clientTraceId) && { clientTraceId }),
  }
}
