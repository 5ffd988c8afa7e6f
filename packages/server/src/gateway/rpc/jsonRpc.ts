import { errorCodes } from 'latchkey-protocol'
import { RpcError, type RpcErrorObject, rpcCodes } from './RpcError.ts'

export type RpcId = string | number | null

export type RpcCall = { id: RpcId; method: string; params: unknown }

export type RpcOutcome = { result: unknown } | { error: RpcErrorObject }

export type RpcResponse = { jsonrpc: '2.0'; id: RpcId } & RpcOutcome

const maxMethodLength = 128

export declare namespace parseCall {
  type ReturnType = RpcCall
  type ErrorType = RpcError
}

/**
 * Parses one JSON-RPC 2.0 request object (§ 4). Refuses a call without an `id`: it would get no response. Absent
 * `params` become an empty list.
 *
 * @throws `REQUEST_INVALID`.
 */
export function parseCall(value: unknown): parseCall.ReturnType {
  if (!isRecord(value)) throw invalid('A JSON-RPC request must be an object.')
  const { jsonrpc, id, method, params } = value
  if (jsonrpc !== '2.0') throw invalid('A JSON-RPC request must carry "jsonrpc": "2.0".')
  if (!isId(id)) throw invalid('A JSON-RPC request must carry an "id": a string, a number or null.')
  if (typeof method !== 'string' || method.length === 0 || method.length > maxMethodLength)
    throw invalid(`A JSON-RPC request must carry a "method" of 1 to ${maxMethodLength} characters.`)
  if (params !== undefined && !Array.isArray(params) && !isRecord(params))
    throw invalid('"params" of a JSON-RPC request must be a list or an object.')
  return { id, method, params: params ?? [] }
}

/** Returns the `id` for the response to a possibly malformed request: the given one if readable, otherwise null. */
export function readId(value: unknown): RpcId {
  return isRecord(value) && isId(value.id) ? value.id : null
}

function isId(value: unknown): value is RpcId {
  return value === null || typeof value === 'number' || (typeof value === 'string' && value.length <= 256)
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function invalid(message: string): RpcError {
  return new RpcError(message, { code: errorCodes.REQUEST_INVALID, rpcCode: rpcCodes.invalidRequest })
}
