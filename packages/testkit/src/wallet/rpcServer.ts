import { onTestFinished } from 'vitest'
import { listen, readBody } from '../signer/listen.ts'

export type RpcCall = { method: string; params: unknown[]; headers: Record<string, unknown>; path: string | undefined }
export type RpcReply =
  | { result: unknown }
  | { error: { code: number; message: string; data?: unknown } }
  | { status: number }

/** Starts a JSON-RPC server and records its calls. `reply` may throw to drop the connection. */
export async function startRpcServer(reply: (call: RpcCall) => RpcReply | Promise<RpcReply>) {
  const calls: RpcCall[] = []
  const { url, close } = await listen(async (request, response) => {
    const body = JSON.parse(await readBody(request))
    const call = { method: body.method, params: body.params ?? [], headers: request.headers, path: request.url }
    calls.push(call)
    try {
      const outcome = await reply(call)
      if ('status' in outcome) return response.writeHead(outcome.status).end()
      response.setHeader('Content-Type', 'application/json')
      response.end(JSON.stringify({ jsonrpc: '2.0', id: body.id, ...outcome }))
    } catch {
      response.destroy()
    }
  }, '127.0.0.1')
  onTestFinished(close)
  return {
    url,
    calls,
    /** Returns all calls except `eth_call` and `eth_getCode`, which every account sends. */
    operationCalls: (): { method: string; params: unknown[] }[] =>
      calls
        .filter(({ method }) => method !== 'eth_call' && method !== 'eth_getCode')
        .map(({ method, params }) => ({ method, params })),
    close,
  }
}
