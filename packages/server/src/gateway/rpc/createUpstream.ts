import { errorCodes } from 'latchkey/wire'
import { fetchBounded } from '../../http/fetchBounded.ts'
import { ServerError } from '../../http/ServerError.ts'
import { bounds } from '../limits.ts'
import { type ByteBudget, responseTooLarge } from './byteBudget.ts'
import type { RpcOutcome } from './jsonRpc.ts'
import { RpcError, type RpcErrorObject, rpcCodes, UpstreamError } from './RpcError.ts'

export declare namespace createUpstream {
  type Parameters = {
    kind: 'node' | 'bundler' | 'paymaster'
    /** May hold keys in their paths: never logged, never part of an error. */
    urls: readonly string[]
    timeoutMs: number
  }
  type ReturnType = Upstream
}

export type SendOptions = {
  /** What the response is counted against. @default its own bound alone */
  budget?: ByteBudget | undefined
}

export type Upstream = {
  kind: 'node' | 'bundler' | 'paymaster'
  /** Sends one call. Resolves with the upstream's own result or error; rejects only without a valid response. */
  send(method: string, params: unknown, options?: SendOptions): Promise<RpcOutcome>
  /** Sends one call and returns its result; the upstream's error rejects with {@link UpstreamError}. */
  call(method: string, params: unknown): Promise<unknown>
}

const names = { node: 'The chain node', bundler: 'The bundler', paymaster: 'The paymaster service' } as const

const unreachable = {
  node: {
    code: errorCodes.NODE_UNREACHABLE,
    text: 'The gateway got no answer from the chain node. Try again in a moment; its operator should check the node.',
  },
  bundler: {
    code: errorCodes.BUNDLER_UNREACHABLE,
    text: 'The gateway got no answer from the bundler. Try again in a moment; its operator should check the bundler.',
  },
  paymaster: {
    code: errorCodes.PAYMASTER_UNREACHABLE,
    text: 'The gateway got no answer from the paymaster service. Try again in a moment; its operator should check that service.',
  },
} as const

/**
 * A JSON-RPC endpoint behind the gateway, with a bounded wait.
 *
 * @throws `NODE_UNREACHABLE`, `BUNDLER_UNREACHABLE`, `PAYMASTER_UNREACHABLE`, `REQUEST_INVALID`, by both members.
 */
export function createUpstream(parameters: createUpstream.Parameters): createUpstream.ReturnType {
  const { kind, urls, timeoutMs } = parameters
  const [url = ''] = urls

  async function send(method: string, params: unknown, { budget }: SendOptions = {}): Promise<RpcOutcome> {
    const response = await fetchBounded(url, {
      what: names[kind],
      timeoutMs,
      maxBytes: bounds.responseBytes,
      onBytes: budget?.take,
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: serializeCall(method, params),
    }).catch((cause: unknown) => {
      if (cause instanceof RpcError) throw cause
      if (cause instanceof ServerError && cause.code === errorCodes.RESPONSE_INVALID)
        throw responseTooLarge(bounds.responseBytes)
      throw failure(kind, cause instanceof ServerError ? cause.message : '', cause)
    })
    // The HTTP status adds nothing to a JSON-RPC body.
    const outcome = readOutcome(response.body)
    if (!outcome) throw failure(kind, `Its answer (HTTP ${response.status}) was not JSON-RPC.`)
    return outcome
  }

  async function call(method: string, params: unknown): Promise<unknown> {
    const outcome = await send(method, params)
    if ('error' in outcome) throw new UpstreamError(outcome.error)
    return outcome.result
  }

  return { kind, send, call }
}

function serializeCall(method: string, params: unknown): string {
  try {
    return JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  } catch (cause) {
    // JSON.parse takes deeper nesting than JSON.stringify.
    throw new RpcError('"params" of a JSON-RPC request are nested too deeply.', {
      code: errorCodes.REQUEST_INVALID,
      rpcCode: rpcCodes.invalidParams,
      cause,
    })
  }
}

function failure(kind: Upstream['kind'], detail: string, cause?: unknown): RpcError {
  const { code, text } = unreachable[kind]
  return new RpcError(`${text} ${detail}`.trim(), { code, rpcCode: rpcCodes.unavailable, cause })
}

function readOutcome(bytes: Uint8Array): RpcOutcome | undefined {
  let body: unknown
  try {
    body = JSON.parse(new TextDecoder().decode(bytes))
  } catch {
    return undefined
  }
  if (typeof body !== 'object' || body === null) return undefined
  if ('error' in body && isErrorObject(body.error)) return { error: body.error }
  if ('result' in body) return { result: body.result }
  return undefined
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
