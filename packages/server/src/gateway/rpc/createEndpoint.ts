import { errorCodes } from 'latchkey-protocol'
import { ServerError } from '../../platform/errors/ServerError.ts'
import { connectTimeout, fetchBounded } from '../../platform/http/fetchBounded.ts'
import { readRequestId, requestIdHeader } from '../../platform/http/requestId.ts'
import { metrics } from '../../platform/observability/metrics.ts'
import { inSpan } from '../../platform/observability/tracing.ts'
import { bounds } from '../gatewayLimits.ts'
import { type ByteBudget, responseTooLarge } from './byteBudget.ts'
import type { RpcOutcome } from './jsonRpc.ts'
import { RpcError, type RpcErrorObject, rpcCodes, UpstreamFailure } from './RpcError.ts'

export type UpstreamKind = 'node' | 'bundler' | 'paymaster'

export declare namespace createEndpoint {
  type Parameters = {
    kind: UpstreamKind
    /** May contain a key, so it is never logged and never part of an error. */
    url: string
    timeoutMs: number
    /** Required chain id. @default not checked */
    chainId?: number | undefined
    /** Milliseconds. @default performance.now */
    now?: (() => number) | undefined
    /** Called when the endpoint responds again after a failure. */
    onRecovered(): void
    /** Called with each failure. */
    onFailure(failure: UpstreamFailure): void
  }
  type ReturnType = Endpoint
}

/** One URL of an upstream. */
export type Endpoint = {
  /** Returns whether to prefer this endpoint: its last calls succeeded, or enough time has passed since a failure. */
  isWell(): boolean
  /** Returns whether the last calls timed out, which means that another call would probably time out as well. */
  isStuck(): boolean
  /** @throws `UpstreamFailure`, and `RpcError` for a response that is too large. */
  ask(method: string, params: unknown, budget?: ByteBudget): Promise<RpcOutcome>
  /**
   * Sends calls in one request, or one request each to an endpoint that accepts no batches.
   * @throws the errors of `ask`.
   */
  askAll(calls: readonly UpstreamCall[]): Promise<readonly RpcOutcome[]>
}

export type UpstreamCall = { method: string; params: unknown }

const failuresBeforeOpen = 3
/** Milliseconds that a failed endpoint is skipped; doubled with each further failure. */
const openMs = { first: 1_000, most: 8_000 }
/** Milliseconds that an endpoint with a different chain id is skipped. */
const mismatchMs = 30_000
const maxRetryAfterMs = 60_000

const names = { node: 'The chain node', bundler: 'The bundler', paymaster: 'The paymaster service' } as const
const unreachable = {
  node: { code: errorCodes.NODE_UNREACHABLE, name: 'the chain node', check: 'the node' },
  bundler: { code: errorCodes.BUNDLER_UNREACHABLE, name: 'the bundler', check: 'the bundler' },
  paymaster: { code: errorCodes.PAYMASTER_UNREACHABLE, name: 'the paymaster service', check: 'that service' },
} as const

/**
 * Creates a JSON-RPC endpoint with a timeout and a circuit breaker. Checks its chain before the first call and after
 * each failure.
 */
export function createEndpoint(parameters: createEndpoint.Parameters): Endpoint {
  const { kind, chainId, now = () => performance.now(), onRecovered, onFailure } = parameters
  let failures = 0
  let openUntil = 0
  let isSlow = false
  let checked: Promise<void> | undefined

  function noteSuccess(): void {
    if (failures > 0) onRecovered()
    failures = 0
    openUntil = 0
    isSlow = false
  }

  function noteFailure(failure: UpstreamFailure): void {
    failures += 1
    checked = undefined
    isSlow = failure.isSlow
    const backOff = Math.min(openMs.most, openMs.first * 2 ** Math.max(0, failures - failuresBeforeOpen))
    const spared = failure.code === errorCodes.CHAIN_MISMATCH ? mismatchMs : failure.retryAfterMs
    if (spared !== undefined || failures >= failuresBeforeOpen) openUntil = now() + (spared ?? backOff)
    onFailure(failure)
  }

  async function checkChain(): Promise<void> {
    const outcome = await request(parameters, { method: 'eth_chainId', params: [] })
    // A bundler may not support the method.
    if ('error' in outcome && outcome.error.code === rpcCodes.methodNotFound) return
    const found = 'result' in outcome && typeof outcome.result === 'string' ? Number(outcome.result) : undefined
    if (found === chainId) return
    const text = found === undefined ? 'does not name its chain' : `is on chain ${found}, not on ${chainId}`
    throw new UpstreamFailure(`${names[kind]} of this gateway ${text}. Its operator should check the URL.`, {
      code: errorCodes.CHAIN_MISMATCH,
      rpcCode: rpcCodes.unavailable,
      wasSent: false,
    })
  }

  async function attempt<result>(work: () => Promise<result>): Promise<result> {
    let hasPassed = false
    try {
      if (chainId !== undefined) checked ??= checkChain()
      await checked
      hasPassed = true
      const result = await work()
      noteSuccess()
      return result
    } catch (error) {
      if (!(error instanceof UpstreamFailure)) throw error
      noteFailure(error)
      // The chain check failed, so the call itself was not sent.
      throw hasPassed ? error : error.asUnsent()
    }
  }

  return {
    isWell: () => openUntil <= now(),
    isStuck: () => isSlow && openUntil > now(),
    ask: (method, params, budget) => attempt(() => request(parameters, { method, params }, budget)),
    askAll: (calls) => attempt(() => requestAll(parameters, calls)),
  }
}

function request(parameters: createEndpoint.Parameters, call: UpstreamCall, budget?: ByteBudget): Promise<RpcOutcome> {
  return post(parameters, { body: toRequest(call, 1), read: readOutcome, budget })
}

async function requestAll(
  parameters: createEndpoint.Parameters,
  calls: readonly UpstreamCall[],
): Promise<readonly RpcOutcome[]> {
  const read = (body: unknown) => readBatch(body, calls.length)
  const outcomes = await post(parameters, { body: calls.map(toRequest), read })
  return outcomes === 'refused' ? Promise.all(calls.map((call) => request(parameters, call))) : outcomes
}

const toRequest = ({ method, params }: UpstreamCall, id: number) => ({ jsonrpc: '2.0', id, method, params })

type Exchange<result> = {
  body: unknown
  /** Reads a parsed response; undefined if it is not JSON-RPC. */
  read: (body: unknown) => result | undefined
  budget?: ByteBudget | undefined
}

async function post<result>(parameters: createEndpoint.Parameters, sent: Exchange<result>): Promise<result> {
  const labels = { kind: parameters.kind, chain: String(parameters.chainId ?? 'none') }
  const startedAt = performance.now()
  let outcome = 'failed'
  try {
    const attributes = { 'latchkey.upstream': labels.kind, 'latchkey.chain': labels.chain }
    const span = { kind: 'CLIENT', isPart: true, attributes } as const
    const response = await inSpan(labels.kind, span, () => exchange(parameters, sent))
    outcome = 'ok'
    return response
  } finally {
    metrics.upstreamRequests.inc({ ...labels, outcome })
    metrics.upstreamSeconds.observe(labels, (performance.now() - startedAt) / 1000)
  }
}

async function exchange<result>(
  { kind, url, timeoutMs }: createEndpoint.Parameters,
  { body, read, budget }: Exchange<result>,
): Promise<result> {
  const requestId = readRequestId()
  const response = await fetchBounded(url, {
    what: names[kind],
    timeoutMs,
    maxBytes: bounds.responseBytes,
    onBytes: budget?.take,
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(requestId !== undefined && { [requestIdHeader]: requestId }) },
    body: serialize(body),
  }).catch((cause: unknown) => {
    if (cause instanceof RpcError) throw cause
    if (cause instanceof ServerError && cause.code === errorCodes.RESPONSE_INVALID)
      throw responseTooLarge(bounds.responseBytes)
    throw failure(kind, cause)
  })
  if (response.status === 429) throw limited(kind, response.headers['retry-after'])
  // Ignores any other HTTP status of a response with a JSON-RPC body.
  const result = read(parse(response.body))
  if (result === undefined) throw failure(kind, undefined, `Its answer (HTTP ${response.status}) was not JSON-RPC.`)
  return result
}

function serialize(body: unknown): string {
  try {
    return JSON.stringify(body)
  } catch (cause) {
    // JSON.stringify fails on params that JSON.parse accepted, if they are nested too deeply.
    throw new RpcError('"params" of a JSON-RPC request are nested too deeply.', {
      code: errorCodes.REQUEST_INVALID,
      rpcCode: rpcCodes.invalidParams,
      cause,
    })
  }
}

function failure(kind: UpstreamKind, cause: unknown, text?: string): UpstreamFailure {
  const { code, name, check } = unreachable[kind]
  const detail = text ?? (cause instanceof ServerError ? cause.message : '')
  const message = `The gateway got no answer from ${name}. Try again in a moment; its operator should check ${check}.`
  return new UpstreamFailure(`${message} ${detail}`.trim(), {
    code,
    rpcCode: rpcCodes.unavailable,
    cause,
    wasSent: !isUnsent(cause),
    isSlow: cause instanceof ServerError && cause.code === 'TIMEOUT',
  })
}

/** Error codes of a connection that was never established. */
const unsentCodes = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', connectTimeout])

function isUnsent(error: unknown): boolean {
  let each = error
  for (let depth = 0; depth < 5 && each instanceof Error; depth++) {
    if ('code' in each && typeof each.code === 'string' && unsentCodes.has(each.code)) return true
    each = each.cause
  }
  return false
}

function limited(kind: UpstreamKind, header: string | undefined): UpstreamFailure {
  const retryAfterMs = readRetryAfter(header)
  const text = `${names[kind]} of this gateway takes no more requests at the moment. Try again in a moment.`
  return new UpstreamFailure(text, {
    code: errorCodes.RATE_LIMIT_EXCEEDED,
    rpcCode: rpcCodes.limitExceeded,
    wasSent: false,
    retryAfterMs,
  })
}

/** Reads a `Retry-After` header (RFC 9110 § 10.2.3): seconds, or a date. */
function readRetryAfter(header: string | undefined): number {
  const text = header?.trim() ?? ''
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now()
  return Number.isFinite(ms) ? Math.min(maxRetryAfterMs, Math.max(1_000, ms)) : 1_000
}

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes))
  } catch {
    return undefined
  }
}

function readOutcome(body: unknown): RpcOutcome | undefined {
  if (typeof body !== 'object' || body === null) return undefined
  if ('error' in body && isErrorObject(body.error)) return { error: body.error }
  if ('result' in body) return { result: body.result }
  return undefined
}

/**
 * Reads the responses to requests with the ids 0 to `count - 1`, in any order. A single error object refuses the batch
 * itself.
 */
function readBatch(body: unknown, count: number): RpcOutcome[] | 'refused' | undefined {
  if (!Array.isArray(body)) return readOutcome(body) && 'refused'
  const outcomes: RpcOutcome[] = []
  for (let id = 0; id < count; id++) {
    const outcome = readOutcome(body.find((reply: { id?: unknown } | null) => reply?.id === id))
    if (!outcome) return undefined
    outcomes.push(outcome)
  }
  return outcomes
}

function isErrorObject(value: unknown): value is RpcErrorObject {
  return (
    typeof value === 'object' &&
    value !== null &&
    'code' in value &&
    typeof value.code === 'number' &&
    'message' in value &&
    typeof value.message === 'string'
  )
}
