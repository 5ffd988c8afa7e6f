/** What a client names its own work by, for log lines: of the page load, and of one action of it. */
export type Trace = { traceId?: string; clientTraceId?: string }

/**
 * The trace of a request: `traceparent` (W3C Trace Context § 3.2), and the id that published clients send with it for each
 * action. What has another form is left out, since any text can be sent.
 */
export function readTrace(header: (name: string) => string | undefined): Trace {
  const [, traceId] = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}$/.exec(header('traceparent') ?? '') ?? []
  const clientTraceId = header('x-alchemy-client-trace-id')
  return {
    ...(traceId !== undefined && { traceId }),
    ...(clientTraceId !== undefined && /^[0-9a-f]{16,32}$/.test(clientTraceId) && { clientTraceId }),
  }
}
