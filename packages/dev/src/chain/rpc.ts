import { DevError } from '../errors.ts'

export declare namespace rpc {
  type Parameters = {
    url: string
    method: string
    params?: readonly unknown[]
    /** Default 10 000. */
    timeoutMs?: number
  }
}

/**
 * One JSON-RPC request, for what viem has no action for. The result is the caller's to check: it is typed only because
 * the nodes asked are ours. Throws a `DevError`: NODE_UNREACHABLE without an answer, RESPONSE_INVALID for an error.
 */
export async function rpc<result = unknown>(parameters: rpc.Parameters): Promise<result> {
  const { url, method, params = [], timeoutMs = 10_000 } = parameters
  const answer = await post(url, { jsonrpc: '2.0', id: 1, method, params }, timeoutMs)
  if (answer.error) {
    throw new DevError(`${method} failed: ${answer.error.message ?? 'no message'}`, {
      code: 'RESPONSE_INVALID',
      cause: answer.error,
    })
  }
  return answer.result as result
}

type Answer = { result?: unknown; error?: { code?: number; message?: string } }

async function post(url: string, body: unknown, timeoutMs: number): Promise<Answer> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(timeoutMs),
    })
    return (await response.json()) as Answer
  } catch (cause) {
    // A URL may carry a key in its path: only the origin is named.
    throw new DevError(`No JSON-RPC answer from ${originOf(url)}.`, { code: 'NODE_UNREACHABLE', cause })
  }
}

function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : 'the given URL, which is not one'
}
