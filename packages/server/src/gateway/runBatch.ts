import { bounds } from './gatewayLimits.ts'
import { type ByteBudget, createByteBudget } from './rpc/byteBudget.ts'
import { type RpcResponse, readId } from './rpc/jsonRpc.ts'
import { RpcError, toErrorObject } from './rpc/RpcError.ts'

export declare namespace runBatch {
  type Run = (call: unknown, budget: ByteBudget) => Promise<RpcResponse>
}

/**
 * The responses to the calls of a batch, in order, as JSON; to one call, its response. Some run at once. All share one
 * budget of bytes, and each that no longer fits becomes an error of its own.
 */
export async function runBatch(body: unknown, run: runBatch.Run): Promise<string> {
  const reading = createByteBudget(bounds.responseBytes)
  const writing = createByteBudget(bounds.responseBytes)
  const calls: unknown[] = Array.isArray(body) ? body : [body]
  const texts: string[] = new Array(calls.length)
  let next = 0

  async function work(): Promise<void> {
    for (let index = next++; index < calls.length; index = next++) {
      const call = calls[index]
      texts[index] = serialize(call, await run(call, reading), writing)
    }
  }

  await Promise.all(Array.from({ length: Math.min(bounds.batchConcurrency, calls.length) }, work))
  return Array.isArray(body) ? `[${texts.join(',')}]` : (texts[0] ?? '')
}

function serialize(call: unknown, response: RpcResponse, writing: ByteBudget): string {
  const text = JSON.stringify(response)
  // An error is short, and says why there is no result.
  if ('error' in response) return text
  try {
    writing.take(text.length)
    return text
  } catch (error) {
    if (!(error instanceof RpcError)) throw error
    return JSON.stringify({ jsonrpc: '2.0', id: readId(call), error: toErrorObject(error) })
  }
}
