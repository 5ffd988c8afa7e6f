import { errorCodes } from 'latchkey-protocol'
import { entryPoint07Address } from 'viem/account-abstraction'
import { RpcError, rpcCodes } from './RpcError.ts'
import { factoryAddress } from './values.ts'

/**
 * Refuses the factory `0x7702` for EntryPoint 0.7, like the methods that sign for a paymaster. Bundlers mistake it for
 * an address and respond with AA13 or AA20. `params`: `[userOperation, entryPoint]`.
 *
 * @throws `REQUEST_INVALID`.
 */
export function checkDelegation(params: unknown): void {
  const [operation, entryPoint] = Array.isArray(params) ? (params as unknown[]) : []
  if (String(entryPoint).toLowerCase() !== entryPoint07Address.toLowerCase()) return
  const { factory } = (operation ?? {}) as { factory?: unknown }
  const { data } = factoryAddress.safeParse(factory)
  if (data !== undefined && data.length < 42) throw noDelegationFactory()
}

export function noDelegationFactory(): RpcError {
  return new RpcError('EntryPoint 0.7 knows no factory 0x7702. Leave the factory out, or use EntryPoint 0.8.', {
    code: errorCodes.REQUEST_INVALID,
    rpcCode: rpcCodes.invalidParams,
  })
}
