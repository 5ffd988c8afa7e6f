import { readHex, rpc } from '../../rpc.ts'
import type { SendUserOperationParameters, SendUserOperationResult } from '../types.ts'
import { buildUserOperation } from './buildUserOperation.ts'
import type { ActionContext } from './context.ts'
import { signUserOperation } from './signUserOperation.ts'

export declare namespace sendUserOperation {
  type Parameters = SendUserOperationParameters
  type ReturnType = SendUserOperationResult
}

const action = 'Could not send the operation.'

/** Builds, signs and sends. Resolves when the bundler has taken the operation, not when it is in a block. */
export async function sendUserOperation(
  context: ActionContext,
  parameters: sendUserOperation.Parameters,
): Promise<sendUserOperation.ReturnType> {
  const start = performance.now()
  const uoStruct = await buildUserOperation(context, parameters)
  const prepared = performance.now()
  const request = await signUserOperation(context, { uoStruct, context: parameters.context })
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
