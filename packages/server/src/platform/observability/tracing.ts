import type { AttributeValue, Context, Span, SpanKind, Tracer } from '@opentelemetry/api'
import { configInvalid, ServerError } from '../errors/ServerError.ts'

/** OpenTelemetry, once started. Without it, a span costs one comparison. */
let started: { api: typeof import('@opentelemetry/api'); tracer: Tracer } | undefined

/**
 * Attributes that a span may have: our own words, numbers, and request and chain ids. Addresses, paths, statement texts
 * and error messages are excluded, since they may contain a caller's data.
 */
export type SpanAttributes = {
  'latchkey.role'?: string | undefined
  'latchkey.request_id'?: string | undefined
  /** One of: node, bundler, paymaster, custody. */
  'latchkey.upstream'?: string | undefined
  'latchkey.chain'?: string | undefined
  'latchkey.webhook.type'?: string | undefined
  'http.request.method'?: string | undefined
  /** Route pattern. */
  'http.route'?: string | undefined
  'http.response.status_code'?: number | undefined
  'db.system.name'?: 'postgresql' | undefined
  /** The first word of a statement. */
  'db.operation.name'?: string | undefined
  /** Our error code. */
  'error.type'?: string | undefined
}

/** The used part of the SDK. The SDK is an optional peer of 13,000 files, so it may be missing at compile time. */
type Sdk = {
  NodeSDK: new (options: {
    instrumentations: never[]
    resourceDetectors: unknown[]
    serviceName?: string
  }) => { start(): void; shutdown(): Promise<void> }
  resources: { envDetector: unknown }
}
const sdkName: string = '@opentelemetry/sdk-node'

type Environment = Readonly<Record<string, string | undefined>>

/** Returns whether OpenTelemetry's own variables configure a trace exporter. */
export function isTraced({ OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT }: Environment): boolean {
  return Boolean(OTEL_EXPORTER_OTLP_ENDPOINT ?? OTEL_EXPORTER_OTLP_TRACES_ENDPOINT)
}

/**
 * Loads OpenTelemetry and starts sending spans, as configured by OpenTelemetry's own variables (`OTEL_…`). Returns a
 * function that sends the last spans and stops.
 *
 * @throws `CONFIG_INVALID` if the packages are not installed.
 */
export async function startTracing(): Promise<() => Promise<void>> {
  const [api, { NodeSDK, resources }] = await Promise.all([
    import('@opentelemetry/api'),
    import(sdkName) as Promise<Sdk>,
  ]).catch((cause: unknown) => {
    throw configInvalid(
      'OTEL_EXPORTER_OTLP_ENDPOINT is set and OpenTelemetry is not installed: npm install @opentelemetry/api @opentelemetry/sdk-node',
      cause,
    )
  })
  const sdk = new NodeSDK({
    // Records only our own spans, since library instrumentations write URLs and statements into theirs.
    instrumentations: [],
    // Omits the host and process detectors, which reveal users, paths and arguments.
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
    /** A function is called only with tracing on. */
    attributes?: SpanAttributes | (() => SpanAttributes) | undefined
    /** `traceparent` of the caller. @default the current span */
    traceparent?: string | undefined
    /**
     * Whether to create the span only within another span, since periodic work outside requests is not traced.
     *
     * @default false
     */
    isPart?: boolean | undefined
    /** Attributes known at the end. */
    atEnd?: (() => SpanAttributes) | undefined
  }
}

/** Runs `run` in a span if tracing is on. Records failures only by code. */
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

/** Returns `traceparent` for another of our servers (W3C Trace Context § 3.2); empty with tracing off. */
export function traceHeaders(): Record<string, string> {
  const context = started?.api.trace.getActiveSpan()?.spanContext()
  if (!context) return {}
  const flags = context.traceFlags.toString(16).padStart(2, '0')
  return { traceparent: `00-${context.traceId}-${context.spanId}-${flags}` }
}

/**
 * Returns the context of a caller's span. Ignores the caller's sampled flag, which could hide requests from the trace;
 * our sampler decides as for a sampled span.
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
