import { DevError } from '../errors.ts'

export declare namespace rpc {
  type Parameters = {
    url: string
    method: string
    params?: readonly unknown[]
    /** @default 10_000 */
    timeoutMs?: number
  }
}

/**
 * Sends a JSON-RPC request for which viem has no action. Does not validate the result's type, because the nodes belong
 * to the devnet.
 *
 * @throws `NODE_UNREACHABLE` if there is no response, `RESPONSE_INVALID` for an error
 */
export async function rpc<result = unknown>(parameters: rpc.Parameters): Promise<result> {
  const { url, method, params = [], timeoutMs = 10_000 } = parameters
  const response = await post(url, { jsonrpc: '2.0', id: 1, method, params }, timeoutMs)
  if (response.error) {
    throw new DevError(`${method} failed: ${response.error.message ?? 'no message'}`, {
      code: 'RESPONSE_INVALID',
      cause: response.error,
    })
  }
  return response.result as result
}

type RpcResponse = { result?: unknown; error?: { code?: number; message?: string } }

async function post(url: string, body: unknown, timeoutMs: number): Promise<RpcResponse> {
  try {
    const reply = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(timeoutMs),
    })
    return (await reply.json()) as RpcResponse
  } catch (cause) {
    // Shows only the origin, because a URL's path may contain a key.
    throw new DevError(`No JSON-RPC response from ${readOrigin(url)}.`, { code: 'NODE_UNREACHABLE', cause })
  }
}

function readOrigin(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : 'the given URL, which is invalid'
}
