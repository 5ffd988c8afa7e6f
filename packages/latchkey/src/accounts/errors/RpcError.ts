import type { ErrorCode } from 'latchkey-protocol'
import { BaseError, isReadable } from '../../core/errors/BaseError.ts'
import { redactUrl } from '../../core/http/redactUrl.ts'

/** A JSON-RPC service returned an error object. `rpcCode` is its code and `message` its text. */
export class RpcError extends BaseError {
  readonly rpcCode: number | undefined
  /** Text as sent by the service. */
  readonly text: string

  constructor(message: string, options: BaseError.Options & { rpcCode: number | undefined }) {
    super(message, { name: 'RpcError', ...options })
    this.rpcCode = options.rpcCode
    this.text = message
  }
}

/**
 * Returns the result of a JSON-RPC call. Converts failures with `toRpcError`. `action`: failed action, as a sentence.
 */
export async function convertRpcErrors<result>(call: Promise<result>, action: string): Promise<result> {
  try {
    return await call
  } catch (error) {
    throw toRpcError(error, { action })
  }
}

export declare namespace toRpcError {
  type Options = {
    /** Failed action, as a sentence. */
    action: string
    /** Meta lines to add. */
    metaMessages?: readonly string[] | undefined
  }
  /**
   * Error with the gateway's code, or `RPC_URL_INVALID`, `NETWORK_UNREACHABLE`, `TIMEOUT`, `HTTP_FAILED`, `RPC_FAILED`.
   */
  type ReturnType = BaseError
}

/**
 * Converts a failed JSON-RPC call to a `BaseError`. Does not set viem's error as the cause, because viem's error
 * contains the URL with the API key.
 */
export function toRpcError(error: unknown, { action, metaMessages = [] }: toRpcError.Options): toRpcError.ReturnType {
  if (error instanceof BaseError) return error
  const causes = listCauses(error)
  const url = readUrl(causes)
  const meta = url ? [...metaMessages, `URL: ${url}`] : metaMessages
  if (causes.some(({ name }) => name === 'TimeoutError')) {
    return new BaseError(`${action} No answer came in time.`, {
      code: 'TIMEOUT',
      metaMessages: [...meta, 'Check that the server is running and not overloaded, then try again.'],
    })
  }
  if (causes.some(({ details, message }) => invalidUrl.test(`${details}\n${message}`))) {
    return new BaseError('Invalid RPC URL', {
      code: 'RPC_URL_INVALID',
      metaMessages: [action, 'Check the `rpcUrl` of the connection and the RPC URLs of the chain.'],
      name: 'InvalidRpcUrlError',
    })
  }
  const { code, text, gatewayCode, requestId } = readErrorObject(causes)
  if (code === undefined && causes.some(({ name }) => name === 'HttpRequestError')) {
    return toHttpError(causes, action, url ?? 'the JSON-RPC service')
  }
  return new RpcError(text ?? action, {
    code: gatewayCode ?? 'RPC_FAILED',
    shortMessage: text && isReadable(text) ? text : action,
    metaMessages: text ? [action, ...meta] : meta,
    details: code === undefined ? undefined : `JSON-RPC error ${code}${requestId}`,
    rpcCode: code,
  })
}

/**
 * Returns the revert data of a failed `eth_call`; undefined if there is none. Nodes return the data in different
 * members.
 */
export function readRevertData(error: unknown): `0x${string}` | undefined {
  for (const { data, details } of listCauses(error)) {
    for (const value of [toFields(data).data, data, details]) {
      const found = typeof value === 'string' ? /^(?:Reverted )?(0x(?:[0-9a-f]{2})+)$/i.exec(value)?.[1] : undefined
      if (found) return found as `0x${string}`
    }
  }
  return undefined
}

/** Members of viem's and servers' errors that this module reads. */
type Fields = {
  [name in
    | 'cause'
    | 'code'
    | 'data'
    | 'details'
    | 'message'
    | 'metaMessages'
    | 'name'
    | 'requestId'
    | 'shortMessage'
    | 'stack'
    | 'status'
    | 'url']?: unknown
}

/** Messages about an invalid URL on different platforms. */
const invalidUrl = /^Invalid URL$|Failed to parse URL|is not a valid URL/m

/** Error codes of the gateway. The list of all error codes would add too much to the page's size. */
const gatewayCodes: readonly ErrorCode[] = [
  'BODY_TOO_LARGE',
  'BUNDLER_UNREACHABLE',
  'DATABASE_BUSY',
  'DATABASE_UNREACHABLE',
  'ENTRY_POINT_NOT_FOUND',
  'INTERNAL',
  'METHOD_NOT_SUPPORTED',
  'MULTIPLIER_INVALID',
  'NODE_UNREACHABLE',
  'NOT_FOUND',
  'ORIGIN_NOT_ALLOWED',
  'PAYMASTER_DEPOSIT_LOW',
  'POLICY_NOT_FOUND',
  'POLICY_REFUSED',
  'RATE_LIMIT_EXCEEDED',
  'REQUEST_INVALID',
  'RESPONSE_INVALID',
  'TIMEOUT',
  'UNAUTHENTICATED',
]

/** Returns the JSON-RPC error object, which is the cause of viem's innermost error. */
function readErrorObject(causes: readonly Fields[]) {
  for (const { code, data, details, message } of [...causes].reverse()) {
    if (typeof code !== 'number') continue
    const text = [details, message].filter((value) => typeof value === 'string').find((value) => value !== '')
    const { code: own, requestId: id } = toFields(data)
    // Request id, which is also in the service's logs.
    const requestId = typeof id === 'string' ? `, request ${id}` : ''
    return { code, text, gatewayCode: gatewayCodes.find((known) => known === own), requestId }
  }
  return {}
}

const statusCodes: { readonly [status: number]: ErrorCode } = { 413: 'BODY_TOO_LARGE', 429: 'RATE_LIMIT_EXCEEDED' }

function toHttpError(causes: readonly Fields[], action: string, url: string): BaseError {
  const status = causes.map((item) => item.status).find((value) => typeof value === 'number')
  if (status !== undefined) {
    return new BaseError(`${url} answered with status ${status}.`, {
      code: statusCodes[status] ?? 'HTTP_FAILED',
      shortMessage: action,
      metaMessages: [action, 'Check the API key and the URL of the connection.'],
    })
  }
  return new BaseError(`Could not reach ${url}.`, {
    code: 'NETWORK_UNREACHABLE',
    shortMessage: `${action} The service could not be reached.`,
    metaMessages: [
      action,
      'Check that the server is running (`npm start` runs a local one) and that this page may call it (CORS).',
    ],
  })
}

function readUrl(causes: readonly Fields[]): string | undefined {
  const url = causes.map((item) => item.url).find((value) => typeof value === 'string')
  return url === undefined ? undefined : redactUrl(url)
}

/** Returns an error and its causes, at most 32. */
export function listCauses(error: unknown): Fields[] {
  const found: Fields[] = []
  let current = error
  // A deeper chain is a cycle.
  while (typeof current === 'object' && current !== null && found.length < 32) {
    const fields: Fields = current
    found.push(fields)
    current = fields.cause
  }
  return found
}

function toFields(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? value : {}
}
