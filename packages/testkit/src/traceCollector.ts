import { listen, readBody } from './signer/listen.ts'

export type CollectedSpan = {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  /** Span kind in OTLP: 2 for a server, 3 for a client. */
  kind: number
  attributes: { key: string; value: Record<string, unknown> }[]
  status: { code?: number; message?: string }
}

export type TraceCollector = Awaited<ReturnType<typeof startTraceCollector>>

type Request = { resourceSpans?: { scopeSpans?: { spans?: CollectedSpan[] }[] }[] }

/** Collects traces sent as OTLP over HTTP in JSON (`/v1/traces`). */
export async function startTraceCollector() {
  const bodies: string[] = []
  const spans: CollectedSpan[] = []
  const { url, close } = await listen(async (request, response) => {
    const body = await readBody(request)
    if (request.url !== '/v1/traces') return void response.writeHead(404).end()
    bodies.push(body)
    for (const { scopeSpans = [] } of (JSON.parse(body) as Request).resourceSpans ?? [])
      for (const scope of scopeSpans) spans.push(...(scope.spans ?? []))
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  }, '127.0.0.1')
  return { url, spans, close, text: () => bodies.join('\n') }
}
