import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { toListener } from '../toListener.ts'

export type RpcCall = { method: string; params: unknown[]; headers: Record<string, unknown>; path: string | undefined }
export type RpcReply =
  | { result: unknown }
  | { error: { code: number; message: string; data?: unknown } }
  /** HTTP status of a reply without a body. */
  | { status: number }

/** A JSON-RPC server of a test, on a free port, that records its calls. `reply` may throw to drop the connection. */
export async function startRpcServer(reply: (call: RpcCall) => RpcReply | Promise<RpcReply>): Promise<{
  url: string
  calls: RpcCall[]
  /** Calls but for those an account makes by itself. */
  operationCalls(): { method: string; params: unknown[] }[]
  close(): Promise<void>
}> {
  const calls: RpcCall[] = []
  const server = createServer(
    toListener(async (request, response) => {
      const parts: Buffer[] = []
      for await (const part of request) parts.push(part)
      const body = JSON.parse(Buffer.concat(parts).toString())
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
    }),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const close = () =>
    new Promise<void>((resolve) => {
      server.closeAllConnections()
      server.close(() => resolve())
    })
  onTestFinished(close)
  return {
    url: `http://127.0.0.1:${port}`,
    calls,
    operationCalls: () =>
      calls
        .filter(({ method }) => method !== 'eth_call' && method !== 'eth_getCode')
        .map(({ method, params }) => ({ method, params })),
    close,
  }
}
