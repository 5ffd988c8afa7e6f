import { BaseError } from '../../core/errors/BaseError.ts'
import { redactUrl } from '../../core/http/redactUrl.ts'
import type { ErrorCode } from '../../wire/errorCodes.ts'
import { gatewayCodes } from './gatewayCodes.ts'
import { RpcError } from './RpcError.ts'

export declare namespace toRpcError {
  type Options = {
    /** What was being done, as a sentence. */
    action: string
    /** Meta lines to add. */
    metaMessages?: readonly string[] | undefined
  }
}

/** The members of viem's and a server's errors that are of use. */
type Fields = { code?: unknown; data?: unknown; details?: unknown; message?: unknown; status?: unknown; url?: unknown }

/**
 * A failed JSON-RPC call as a `BaseError`. viem's error is read but not kept as the cause: it holds the URL, and with
 * it the API key. Codes: the server's own when it names one of Latchkey's list, else `NETWORK_UNREACHABLE`, `TIMEOUT`,
 * `HTTP_FAILED` or `RPC_FAILED`.
 */
export function toRpcError(error: unknown, options: toRpcError.Options): BaseError {
  if (error instanceof BaseError) return error
  const chain = causes(error)
  const names = chain.map((item) => (item instanceof Error ? item.name : ''))
  const url = chain.map((item) => fields(item).url).find((value) => typeof value === 'string')
  const where = typeof url === 'string' ? redactUrl(url) : undefined
  const { code, data, message } = serverError(chain)
  const metaMessages = [...(options.metaMessages ?? []), ...(where ? [`URL: ${where}`] : [])]
  if (names.includes('TimeoutError')) {
    return new BaseError(`${options.action} No answer came in time.`, {
      code: 'TIMEOUT',
      metaMessages: [...metaMessages, 'Check that the server is running and not overloaded, then try again.'],
    })
  }
  if (names.includes('HttpRequestError') && code === undefined) return httpError(chain, { ...options, where })
  return new RpcError(message ?? options.action, {
    code: codeOf(data) ?? 'RPC_FAILED',
    metaMessages: [...(message ? [options.action] : []), ...metaMessages],
    details: code === undefined ? undefined : `JSON-RPC error ${code}`,
    rpcCode: code,
  })
}

/** The revert data of a failed `eth_call`; undefined when there is none. Nodes differ in where they put it. */
export function revertDataOf(error: unknown): `0x${string}` | undefined {
  for (const item of causes(error)) {
    const { data, details } = fields(item)
    const inner = typeof data === 'object' && data !== null ? fields(data).data : data
    for (const value of [inner, details]) {
      const found = typeof value === 'string' ? /^(?:Reverted )?(0x(?:[0-9a-f]{2})+)$/i.exec(value)?.[1] : undefined
      if (found) return found as `0x${string}`
    }
  }
  return undefined
}

function httpError(chain: readonly unknown[], at: toRpcError.Options & { where: string | undefined }): BaseError {
  const status = chain.map((item) => fields(item).status).find((value) => typeof value === 'number')
  const where = at.where ?? 'the JSON-RPC service'
  if (typeof status === 'number') {
    return new BaseError(`${where} answered with status ${status}.`, {
      code: status === 429 ? 'RATE_LIMIT_EXCEEDED' : 'HTTP_FAILED',
      metaMessages: [at.action, 'Check the API key and the URL of the connection.'],
    })
  }
  return new BaseError(`Could not reach ${where}.`, {
    code: 'NETWORK_UNREACHABLE',
    metaMessages: [
      at.action,
      'Check that the server is running (`npm start` runs a local one) and that this page may call it (CORS).',
    ],
  })
}

/** Code, data and text of the JSON-RPC error object, wherever viem put them. */
function serverError(chain: readonly unknown[]): { code?: number; data?: unknown; message?: string } {
  // The innermost error is the one made from the answer itself.
  for (const item of [...chain].reverse()) {
    const { code, data, details, message } = fields(item)
    if (typeof code !== 'number') continue
    const text = typeof details === 'string' && details !== '' ? details : message
    return { code, data, ...(typeof text === 'string' ? { message: text } : {}) }
  }
  return {}
}

function codeOf(data: unknown): ErrorCode | undefined {
  const { code } = fields(data)
  return gatewayCodes.find((known) => known === code)
}

function causes(error: unknown): unknown[] {
  const found: unknown[] = []
  let current = error
  // Deeper than this is a cycle.
  while (current !== undefined && current !== null && found.length < 32) {
    found.push(current)
    current = current instanceof Error ? current.cause : undefined
  }
  return found
}

function fields(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? value : {}
}
