import type { PaymasterScheme } from '../paymasters/PaymasterScheme.ts'
import type { Upstream } from '../rpc/createUpstream.ts'
import type { RpcOutcome } from '../rpc/jsonRpc.ts'

export declare namespace estimateUserOperationGas {
  type Context = { bundler: Upstream; schemes: readonly PaymasterScheme[] }
}

/**
 * `eth_estimateUserOperationGas` by the bundler. A client that settles its gas itself cannot know the form of our
 * paymaster's data, and sends the documented dummy, some with another gas manager's address: it is replaced by a stub of
 * the right form. Everything else passes unchanged.
 */
export async function estimateUserOperationGas(
  { bundler, schemes }: estimateUserOperationGas.Context,
  params: unknown,
): Promise<RpcOutcome> {
  if (!Array.isArray(params)) return bundler.send('eth_estimateUserOperationGas', params)
  const [userOperation, entryPoint, ...rest] = params as unknown[]
  const scheme = schemes.find(
    (candidate) => typeof entryPoint === 'string' && candidate.entryPoint.toLowerCase() === entryPoint.toLowerCase(),
  )
  const estimated = scheme && isRecord(userOperation) ? await scheme.withStub(userOperation) : userOperation
  return bundler.send('eth_estimateUserOperationGas', [estimated, entryPoint, ...rest].slice(0, params.length))
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
