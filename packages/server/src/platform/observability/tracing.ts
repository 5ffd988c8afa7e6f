import type { AttributeValue, Context, Span, SpanKind, Tracer } from '@opentelemetry/api'
import { configInvalid, ServerError } from '../errors/ServerError.ts'

/** OpenTelemetry once it is started; undefined costs a comparison a span. */
let started: { api: typeof import('@opentelemetry/api'); tracer: Tracer } | undefined

/**
 * What a span may say, on one page: words of ours, numbers, ids of requests and of chains. No address, no path, no text of
 * a statement, no message of an error: each may hold what a caller sent.
 */
export type SpanAttributes = {
  'latchkey.role'?: string | undefined
  'latchkey.request_id'?: string | undefined
  /** node, bundler, paymaster, custody. */
  'latchkey.upstream'?: string | undefined
  'latchkey.chain'?: string | undefined
  'latchkey.webhook.type'?: string | undefined
  'http.request.method'?: string | undefined
  /** Pattern of the router. */
  'http.route'?: string | undefined
  'http.response.status_code'?: number | undefined
  'db.system.name'?: 'postgresql' | undefined
  /** The first word of a statement. */
  'db.operation.name'?: string | undefined
  /** Code of an error of ours. */
  'error.type'?: string | undefined
}

type Environment = Readonly<Record<string, string | undefined>>

/** Whether an exporter of traces is configured, by OpenTelemetry's own variables. */
export function isTraced({ OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT }: Environment): boolean {
  return Boolean(OTEL_EXPORTER_OTLP_ENDPOINT ?? OTEL_EXPORTER_OTLP_TRACES_ENDPOINT)
}

/**
 * Loads OpenTelemetry and sends spans from now on, as its own variables (`OTEL_…`) of the process say. Returns what sends the
 * last of them and ends it.
 *
 * @throws `CONFIG_INVALID` where the packages are not installed.
 */
export async function startTracing(): Promise<() => Promise<void>> {
  const [api, { NodeSDK, resources }] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-node'),
  ]).catch((cause: unknown) => {
    throw configInvalid(
      'OTEL_EXPORTER_OTLP_ENDPOINT is set and OpenTelemetry is not installed: npm install @opentelemetry/api @opentelemetry/sdk-node',
      cause,
    )
  })
  const sdk = new NodeSDK({
    // Spans are ours alone: what instruments libraries writes URLs and statements into them.
    instrumentations: [],
    // Not the detectors of host and process, which tell users, paths and arguments.
    resourceDetectors: [resources.envDetector],
    ...(process.env.OTEL_SERVICE_NAME === undefined && { serviceName: 'latchkey-server' }),
  })
  sdk.start()
  started = { api, tracer: api.trace.getTracer('latchkey-server') }
  return async () => {
    started = undefined
    try {
      await sdk.shutdown()
    } finally {
      for (const each of [api.trace, api.context, api.propagation]) each.disable()
    }
  }
}

type Kind = 'SERVER' | 'CLIENT' | 'INTERNAL'

export declare namespace inSpan {
  type Options = {
    /** @default 'INTERNAL' */
    kind?: Kind | undefined
    /** A function is called only where traces are on. */
    attributes?: SpanAttributes | (() => SpanAttributes) | undefined
    /** `traceparent` of who asks. @default the span that this runs in */
    traceparent?: string | undefined
    /**
     * Only within another span: what is done again and again for no request is no trace.
     *
     * @default false
     */
    isPart?: boolean | undefined
    /** Attributes that are known at the end. */
    atEnd?: (() => SpanAttributes) | undefined
  }
}

/** Runs `run` in a span, where traces are on. A failure is noted by its code alone. */
export async function inSpan<result>(
  name: string,
  { kind = 'INTERNAL', attributes = {}, traceparent, isPart = false, atEnd }: inSpan.Options,
  run: () => Promise<result>,
): Promise<result> {
  if (!started) return run()
  const { api, tracer } = started
  if (isPart && !api.trace.getActiveSpan()) return run()
  const parent = readParent(traceparent) ?? api.context.active()
  const options = {
    kind: api.SpanKind[kind] satisfies SpanKind,
    attributes: known(typeof attributes === 'function' ? attributes() : attributes),
  }
  return tracer.startActiveSpan(name, options, parent, async (span) => {
    try {
      const result = await run()
      const last = atEnd?.() ?? {}
      span.setAttributes(known(last))
      if (Number(last['http.response.status_code']) >= 500) span.setStatus({ code: api.SpanStatusCode.ERROR })
      return result
    } catch (error) {
      noteError(span, error)
      throw error
    } finally {
      span.end()
    }
  })
}

/** `traceparent` for a server of ours (W3C Trace Context § 3.2); none where traces are off. */
export function traceHeaders(): Record<string, string> {
  const context = started?.api.trace.getActiveSpan()?.spanContext()
  if (!context) return {}
  const flags = context.traceFlags.toString(16).padStart(2, '0')
  return { traceparent: `00-${context.traceId}-${context.spanId}-${flags}` }
}

/**
 * The context of a caller's span. It names the trace and decides nothing: by the flag a caller could hide its requests from
 * the trace, so the sampler of the configuration decides as for one that is sampled.
 */
function readParent(traceparent: string | undefined): Context | undefined {
  const [, traceId, spanId] = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$/.exec(traceparent ?? '') ?? []
  if (!started || !traceId || !spanId) return undefined
  const { api } = started
  const parent = { traceId, spanId, traceFlags: api.TraceFlags.SAMPLED, isRemote: true }
  return api.isSpanContextValid(parent) ? api.trace.setSpanContext(api.ROOT_CONTEXT, parent) : undefined
}

function noteError(span: Span, error: unknown): void {
  span.setAttribute('error.type', error instanceof ServerError ? error.code : 'unexpected')
  if (started) span.setStatus({ code: started.api.SpanStatusCode.ERROR })
}

function known(attributes: SpanAttributes): Record<string, AttributeValue> {
  const given = Object.entries(attributes).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
  return Object.fromEntries(given)
}
