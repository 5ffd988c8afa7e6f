/** JSON-RPC 2.0 shapes as they travel. */

export type RpcId = string | number | null

export type RpcCall = { id: RpcId; method: string; params: unknown }

export type RpcErrorObject = { code: number; message: string; data?: unknown }

export type RpcOutcome = { result: unknown } | { error: RpcErrorObject }

export type RpcResponse = { jsonrpc: '2.0'; id: RpcId } & RpcOutcome
