import { gatewayMethods } from 'latchkey-protocol'
import { createTransport, type Transport } from 'viem'
import { BaseError } from '../../core/errors/BaseError.ts'

export declare namespace split {
  type Parameters = {
    overrides: readonly { methods: readonly string[]; transport: Transport }[]
    /** Transport of all other methods. */
    fallback: Transport
  }
  type ReturnType = Transport
}

/**
 * Creates a viem transport that sends methods to different services, for example bundler methods to one service and
 * reads to the app's own node. Each transport keeps its own retries; this transport adds none.
 *
 * @throws `CONFIG_INVALID` if a method is listed twice.
 *
 * @example
 * ```ts
 * import { bundlerMethods, createSmartAccountClient, split } from 'latchkey'
 * import { http } from 'viem'
 * import { account } from './config.ts'
 *
 * const bundler = http('https://bundler.example/rpc')
 * const overrides = [{ methods: bundlerMethods, transport: bundler }]
 * const transport = split({ overrides, fallback: http('https://node.example/rpc') })
 * const client = createSmartAccountClient({ account, transport })
 * console.log(client.account.address)
 * ```
 */
export function split({ overrides, fallback }: split.Parameters): split.ReturnType {
  const methods = overrides.flatMap((override) => override.methods)
  if (new Set(methods).size < methods.length) throw twoTransports(methods)
  return (options) => {
    const rest = fallback(options)
    const parts = overrides.map((override) => ({ ...override, transport: override.transport(options) }))
    const find = (method: string) => parts.find((part) => part.methods.includes(method))?.transport ?? rest
    const request: ReturnType<Transport>['request'] = (call, settings) => find(call.method).request(call, settings)
    const isSeparate = () => find('eth_getUserOperationReceipt') !== find('eth_getTransactionReceipt')
    return createTransport(
      {
        key: 'split',
        name: 'Split transport',
        type: 'split',
        retryCount: 0,
        request,
      },
      // `gateway`: setting of the service that prepares operations. `isSeparate`: whether receipts come from another
      // service than the node, which then confirms them.
      { gateway: find(gatewayMethods.prepareUserOperation).value?.gateway, isSeparate: isSeparate() },
    )
  }
}

/** Methods of bundlers and paymasters, which plain nodes do not have. */
export const bundlerMethods: readonly string[] = [
  'eth_sendUserOperation',
  'eth_estimateUserOperationGas',
  'eth_getUserOperationReceipt',
  'eth_getUserOperationByHash',
  'eth_supportedEntryPoints',
  gatewayMethods.maxPriorityFeePerGas,
  gatewayMethods.prepareUserOperation,
  gatewayMethods.getPaymasterStubData,
  gatewayMethods.getPaymasterData,
  gatewayMethods.requestGasAndPaymasterAndData,
  gatewayMethods.requestPaymasterAndData,
  gatewayMethods.simulateUserOperationAssetChanges,
  gatewayMethods.waitForUserOperation,
]

function twoTransports(methods: readonly string[]): BaseError {
  const twice = methods.filter((method, index) => methods.indexOf(method) !== index)
  return new BaseError('A method cannot be handled by more than one transport', {
    code: 'CONFIG_INVALID',
    metaMessages: [`Named more than once: ${[...new Set(twice)].join(', ')}`],
  })
}
