import { readHex, rpc } from '../../rpc.ts'
import type { SendUserOperationResult, UserOperationStruct } from '../types.ts'
import type { ActionContext } from './context.ts'
import { signUserOperation } from './signUserOperation.ts'

export declare namespace sendBuilt {
  type Parameters = {
    uoStruct: UserOperationStruct
    context?: unknown
    /** When building began (`performance.now()`). */
    start: number
  }
  type ReturnType = SendUserOperationResult
}

const action = 'Could not send the operation.'

/** Signs a built operation and gives it to the bundler (`eth_sendUserOperation`, ERC-7769). */
export async function sendBuilt(
  context: ActionContext,
  { uoStruct, context: custom, start }: sendBuilt.Parameters,
): Promise<sendBuilt.ReturnType> {
  const prepared = performance.now()
  const request = await signUserOperation(context, { uoStruct, context: custom })
  const signed = performance.now()
  const entryPoint = context.account.entryPoint.address
  const answer = await rpc(context.client, { method: 'eth_sendUserOperation', params: [request, entryPoint], action })
  const sent = performance.now()
  return {
    hash: readHex(answer, action),
    request,
    timings: { prepareMs: prepared - start, signMs: signed - prepared, sendMs: sent - signed },
  }
}
