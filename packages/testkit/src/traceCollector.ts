import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { toListener } from './toListener.ts'

export type CollectedSpan = {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  /** 2: server, 3: client (OTLP). */
  kind: number
  attributes: { key: string; value: Record<string, unknown> }[]
  status: { code?: number; message?: string }
}

export type TraceCollector = {
  /** For `OTEL_EXPORTER_OTLP_ENDPOINT`. */
  url: string
  spans: CollectedSpan[]
  /** Everything that was received, as text. */
  text(): string
  close(): Promise<void>
}

type Request = { resourceSpans?: { scopeSpans?: { spans?: CollectedSpan[] }[] }[] }

/** A collector of traces: OTLP over HTTP in JSON (`/v1/traces`). */
export async function startTraceCollector(): Promise<TraceCollector> {
  const bodies: string[] = []
  const spans: CollectedSpan[] = []
  const server = createServer(
    toListener(async (request, response) => {
      let body = ''
      for await (const chunk of request) body += chunk
      if (request.url !== '/v1/traces') return void response.writeHead(404).end()
      bodies.push(body)
      for (const { scopeSpans = [] } of (JSON.parse(body) as Request).resourceSpans ?? [])
        for (const scope of scopeSpans) spans.push(...(scope.spans ?? []))
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
    }),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    text: () => bodies.join('\n'),
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}
