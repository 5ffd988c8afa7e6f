import { defineLatchkeyDevChain, supportedChains } from 'latchkey/chains'
import { type Chain, type Client, createClient, http, type Transport } from 'viem'
import { CommandError } from './errors.ts'

/**
 * Returns a client of a node's chain. Unknown chains count as local.
 *
 * @throws `NODE_UNREACHABLE` without a response, `RESPONSE_INVALID` for an error
 */
export async function connectChain(rpcUrl: string): Promise<Client<Transport, Chain, undefined>> {
  const id = await readChainId(rpcUrl)
  const chain: Chain =
    supportedChains.find((known) => known.id === id) ?? defineLatchkeyDevChain({ id, nodeUrl: rpcUrl })
  return createClient({
    chain,
    // Disables EIP-3668, since contracts could name URLs other than the node's.
    ccipRead: false,
    transport: http(rpcUrl, { timeout: 30_000 }),
  })
}

async function readChainId(rpcUrl: string): Promise<number> {
  const { result, error } = await post(rpcUrl, { jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] })
  if (!error) return Number(result)
  const message = `eth_chainId failed: ${error.message ?? 'no message'}`
  throw new CommandError(message, { code: 'RESPONSE_INVALID', cause: error })
}

type RpcResponse = { result?: unknown; error?: { code?: number; message?: string } }

async function post(url: string, body: unknown): Promise<RpcResponse> {
  try {
    const headers = { 'content-type': 'application/json' }
    const signal = AbortSignal.timeout(10_000)
    const reply = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body), signal })
    return (await reply.json()) as RpcResponse
  } catch (cause) {
    // A URL may contain a key in its path, so only the origin is shown.
    const origin = URL.canParse(url) ? new URL(url).origin : 'the given URL, which is invalid'
    throw new CommandError(`No JSON-RPC response from ${origin}.`, { code: 'NODE_UNREACHABLE', cause })
  }
}
