import { numberToHex } from 'viem'
import type { Caller } from '../Caller.ts'
import type { Chain } from '../chains/createChain.ts'
import { checkDelegation } from '../rpc/checkDelegation.ts'
import type { RpcOutcome } from '../rpc/jsonRpc.ts'

export declare namespace estimateUserOperationGas {
  type Context = { chain: Pick<Chain, 'bundler' | 'schemes' | 'run' | 'maxCallGas'>; caller: Caller }
}

/**
 * Serves `eth_estimateUserOperationGas` through the bundler. Clients that set their own gas send the documented dummy
 * as paymaster data, sometimes with another gas manager's address. A stub of the right format replaces the dummy.
 * Initial gas values have the same cap as the gas of a call. All other fields are forwarded unchanged.
 */
export async function estimateUserOperationGas(
  { chain, caller }: estimateUserOperationGas.Context,
  params: unknown,
): Promise<RpcOutcome> {
  checkDelegation(params)
  const { bundler, schemes, run, maxCallGas } = chain
  const send = (given: unknown) => run.bundler(caller, 1, () => bundler.send('eth_estimateUserOperationGas', given))
  if (!Array.isArray(params)) return send(params)
  const [userOperation, entryPoint, ...rest] = params as unknown[]
  if (!isRecord(userOperation)) return send(params)
  const scheme = schemes.find(
    (candidate) => typeof entryPoint === 'string' && candidate.entryPoint.toLowerCase() === entryPoint.toLowerCase(),
  )
  const capped = capGas(userOperation, maxCallGas)
  const estimated = scheme ? await scheme.withStub(capped) : capped
  const outcome = await send([estimated, entryPoint, ...rest].slice(0, params.length))
  return 'paymaster' in userOperation ? outcome : withoutPaymaster(outcome)
}

/**
 * Removes limits that some bundlers report without a paymaster, since clients would send incomplete paymaster fields.
 */
function withoutPaymaster(outcome: RpcOutcome): RpcOutcome {
  if (!('result' in outcome) || !isRecord(outcome.result)) return outcome
  const { paymasterVerificationGasLimit, paymasterPostOpGasLimit, ...gas } = outcome.result
  return { ...outcome, result: gas }
}

const gasFields = ['callGasLimit', 'verificationGasLimit', 'paymasterVerificationGasLimit', 'paymasterPostOpGasLimit']

function capGas(userOperation: Record<string, unknown>, cap: bigint): Record<string, unknown> {
  const isOver = ([name, value]: [string, unknown]) =>
    gasFields.includes(name) && typeof value === 'string' && BigInt(value) > cap
  const over = Object.entries(userOperation).filter(isOver)
  return { ...userOperation, ...Object.fromEntries(over.map(([name]) => [name, numberToHex(cap)])) }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
