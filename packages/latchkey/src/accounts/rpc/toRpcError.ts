import { BaseError } from '../../core/errors/BaseError.ts'
import { redactUrl } from '../../core/http/redactUrl.ts'
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
type Fields = {
  [name in 'cause' | 'code' | 'data' | 'details' | 'message' | 'name' | 'status' | 'url']?: unknown
}

/** How platforms say that a URL is none. */
const urlRefusal = /^Invalid URL$|Failed to parse URL|is not a valid URL/m

/**
 * A failed JSON-RPC call as a `BaseError`. viem's error is read but not kept as the cause: it holds the URL, and with
 * it the API key. Codes: the gateway's own, else `RPC_URL_INVALID`, `NETWORK_UNREACHABLE`, `TIMEOUT`, `HTTP_FAILED` or
 * `RPC_FAILED`.
 */
export function toRpcError(error: unknown, { action, metaMessages = [] }: toRpcError.Options): BaseError {
  if (error instanceof BaseError) return error
  const chain = causesOf(error)
  const where = redacted(chain)
  const meta = where ? [...metaMessages, `URL: ${where}`] : metaMessages
  if (chain.some(({ name }) => name === 'TimeoutError')) {
    return new BaseError(`${action} No answer came in time.`, {
      code: 'TIMEOUT',
      metaMessages: [...meta, 'Check that the server is running and not overloaded, then try again.'],
    })
  }
  if (chain.some(({ details, message }) => urlRefusal.test(`${details}\n${message}`))) {
    return new BaseError('Invalid RPC URL', {
      code: 'RPC_URL_INVALID',
      metaMessages: [action, 'Check the `rpcUrl` of the connection and the RPC URLs of the chain.'],
      name: 'InvalidRpcUrlError',
    })
  }
  const { code, text, gatewayCode } = answerOf(chain)
  if (code === undefined && chain.some(({ name }) => name === 'HttpRequestError')) {
    return httpError(chain, action, where ?? 'the JSON-RPC service')
  }
  return new RpcError(text ?? action, {
    code: gatewayCode ?? 'RPC_FAILED',
    metaMessages: text ? [action, ...meta] : meta,
    details: code === undefined ? undefined : `JSON-RPC error ${code}`,
    rpcCode: code,
  })
}

/** The revert data of a failed `eth_call`; undefined when there is none. Nodes differ in where they put it. */
export function revertDataOf(error: unknown): `0x${string}` | undefined {
  for (const { data, details } of causesOf(error)) {
    for (const value of [fieldsOf(data).data, data, details]) {
      const found = typeof value === 'string' ? /^(?:Reverted )?(0x(?:[0-9a-f]{2})+)$/i.exec(value)?.[1] : undefined
      if (found) return found as `0x${string}`
    }
  }
  return undefined
}

function httpError(chain: readonly Fields[], action: string, where: string): BaseError {
  const status = chain.map((item) => item.status).find((value) => typeof value === 'number')
  if (status !== undefined) {
    return new BaseError(`${where} answered with status ${status}.`, {
      code: status === 429 ? 'RATE_LIMIT_EXCEEDED' : 'HTTP_FAILED',
      metaMessages: [action, 'Check the API key and the URL of the connection.'],
    })
  }
  return new BaseError(`Could not reach ${where}.`, {
    code: 'NETWORK_UNREACHABLE',
    metaMessages: [
      action,
      'Check that the server is running (`npm start` runs a local one) and that this page may call it (CORS).',
    ],
  })
}

/** What the JSON-RPC error object says, wherever viem put it: the innermost error was made of it. */
function answerOf(chain: readonly Fields[]) {
  for (const { code, data, details, message } of [...chain].reverse()) {
    if (typeof code !== 'number') continue
    const text = [details, message].filter((value) => typeof value === 'string').find((value) => value !== '')
    const { code: own } = fieldsOf(data)
    return { code, text, gatewayCode: gatewayCodes.find((known) => known === own) }
  }
  return {}
}

function redacted(chain: readonly Fields[]): string | undefined {
  const url = chain.map((item) => item.url).find((value) => typeof value === 'string')
  return url === undefined ? undefined : redactUrl(url)
}

function causesOf(error: unknown): Fields[] {
  const found: Fields[] = []
  let current = error
  // Deeper than this is a cycle.
  while (typeof current === 'object' && current !== null && found.length < 32) {
    const fields: Fields = current
    found.push(fields)
    current = fields.cause
  }
  return found
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? value : {}
}
