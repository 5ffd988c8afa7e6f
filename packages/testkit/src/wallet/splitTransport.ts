import { custom, type Transport } from 'viem'

const bundlerMethods = /^eth_(send|estimate|get)UserOperation|^eth_supportedEntryPoints$/

/** Creates a transport for a node and a bundler, for tests without a gateway. */
export function splitTransport({ nodeUrl, bundlerUrl }: { nodeUrl: string; bundlerUrl: string }): Transport {
  return custom(
    {
      async request({ method, params }) {
        const response = await fetch(bundlerMethods.test(method) ? bundlerUrl : nodeUrl, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: params ?? [] }),
          signal: AbortSignal.timeout(20_000),
        })
        const { result, error } = await response.json()
        if (error) throw Object.assign(new TypeError(error.message), error)
        return result
      },
    },
    { retryCount: 0 },
  )
}
