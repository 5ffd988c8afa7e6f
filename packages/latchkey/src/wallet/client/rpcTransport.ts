import { headers, sdkVersion } from 'latchkey-protocol'
import { http, type Transport } from 'viem'
import { getRpcUrl, hostedNetworks, hostedRpcBase } from '../../core/chains/getRpcUrl.ts'
import { BaseError } from '../../core/errors/BaseError.ts'
import { failOver } from './failOver.ts'
import { split } from './split.ts'
import type { Connection } from './types.ts'

export declare namespace rpcTransport {
  type Parameters = Connection & {
    /** Signer type to send as a header; see `signerTypes` of `latchkey-protocol`. */
    signerType?: string | undefined
    /**
     * Retries of a failed request.
     * @default 3
     */
    retryCount?: number | undefined
    /**
     * Timeout of a request, in milliseconds.
     * @default 20_000
     */
    timeoutMs?: number | undefined
  }
  type ReturnType = Transport
}

/**
 * Creates a viem transport for node and bundler methods of one URL: `rpcUrl`, or the chain's URL followed by `apiKey`.
 *
 * @throws `RPC_URL_INVALID`, `CHAIN_NOT_FOUND`, both when a client is created with the transport.
 *
 * @example
 * ```ts
 * import { rpcTransport } from 'latchkey'
 * import { createPublicClient } from 'viem'
 * import { chain } from './config.ts'
 *
 * const transport = rpcTransport({ apiKey: 'latchkey-dev', timeoutMs: 5000 })
 * const publicClient = createPublicClient({ chain, transport })
 * ```
 */
export function rpcTransport(parameters: rpcTransport.Parameters): rpcTransport.ReturnType {
  const { rpcUrl, apiKey, jwt, gateway, bundlerUrl = [], signerType, retryCount = 3, timeoutMs = 20_000 } = parameters
  const [first, ...others] = [bundlerUrl].flat().map((url) => http(url, { retryCount: 0, timeout: timeoutMs }))
  return (options) => {
    if (!options?.chain) throw noChain()
    const url = getRpcUrl({ chain: options.chain, rpcUrl, apiKey })
    const transport = http(url, {
      retryCount,
      timeout: timeoutMs,
      fetchOptions: {
        headers: {
          [headers.sdkVersion]: sdkVersion,
          ...(signerType ? { [headers.signerType]: signerType } : {}),
          ...(jwt ? { Authorization: `Bearer ${jwt}` } : {}),
        },
      },
    })
    const made = first ? withBundlers(transport, failOver(first, ...others))(options) : transport(options)
    // `gatewaySupport` reads these values.
    return { ...made, value: { ...made.value, url, gateway: gateway ?? (isHosted(url) ? false : undefined) } }
  }
}

/**
 * Methods to send to `bundlerUrl` (ERC-7769). Paymaster and preparation methods still go to the service, which has the
 * project's policies.
 */
const standardMethods = [
  'eth_sendUserOperation',
  'eth_estimateUserOperationGas',
  'eth_getUserOperationReceipt',
  'eth_getUserOperationByHash',
  'eth_supportedEntryPoints',
]

function withBundlers(service: Transport, bundlers: Transport): Transport {
  return split({ overrides: [{ methods: standardMethods, transport: bundlers }], fallback: service })
}

/** Detects the hosted provider, which has none of the methods of Latchkey's gateway. */
function isHosted(url: string): boolean {
  return Object.keys(hostedNetworks).some((id) => url.startsWith(`${hostedRpcBase(Number(id))}/`))
}

export function noChain(): BaseError {
  return new BaseError('No chain supplied to the client', { code: 'CHAIN_NOT_FOUND', name: 'ChainNotFoundError' })
}
