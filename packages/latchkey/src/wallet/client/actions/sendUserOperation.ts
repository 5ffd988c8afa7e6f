import { getFormat } from '../../entryPoint/formats.ts'
import { type Entry, withRecord } from '../../outbox/withRecord.ts'
import { readHex, rpc } from '../../rpc.ts'
import { requireComplete, toRequest } from '../../userOperation/states.ts'
import type { CompleteUserOperation, UserOperationRequest, UserOperationStruct } from '../../userOperation/types.ts'
import type { SendUserOperationParameters, SendUserOperationResult } from '../types.ts'
import { buildUserOperation } from './buildUserOperation.ts'
import { type ActionContext, middlewareContext } from './context.ts'

const action = 'Could not send the operation.'

/**
 * Builds, signs and sends. Resolves when the bundler has taken the operation, not when it is in a block.
 *
 * @example
 * ```ts
 * import { sendUserOperation } from 'latchkey'
 * import { context } from './config.ts'
 *
 * const uo = { target: '0x000000000000000000000000000000000000dEaD', data: '0x' } as const
 * const { hash } = await sendUserOperation(context, { uo })
 * console.log(hash)
 * ```
 */
export async function sendUserOperation(
  context: ActionContext,
  parameters: SendUserOperationParameters,
): Promise<SendUserOperationResult> {
  const start = performance.now()
  const { uo, overrides: { nonceKey = 0n } = {} } = parameters
  return withRecord(context, { uo, nonceKey }, async (entry) => {
    const operation = await buildUserOperation(context, parameters)
    return signAndSend(context, { operation, context: parameters.context, start, entry })
  })
}

/**
 * Signs a built operation and returns the form in which it travels.
 *
 * @example
 * ```ts
 * import { buildUserOperation, signUserOperation } from 'latchkey'
 * import { context } from './config.ts'
 *
 * const uo = { target: '0x000000000000000000000000000000000000dEaD', data: '0x' } as const
 * const uoStruct = await buildUserOperation(context, { uo })
 * const request = await signUserOperation(context, { uoStruct })
 * console.log(request.signature)
 * ```
 */
export async function signUserOperation(
  context: ActionContext,
  { uoStruct, context: custom }: { uoStruct: UserOperationStruct; context?: unknown },
): Promise<UserOperationRequest> {
  return sign(context, requireComplete(uoStruct, getFormat(context.account)), custom)
}

export declare namespace signAndSend {
  type Parameters = {
    operation: CompleteUserOperation
    context?: unknown
    /** When building began (`performance.now()`). */
    start: number
    /** Where it is kept. */
    entry: Entry | undefined
  }
}

/** Signs a built operation and passes it to the bundler (`eth_sendUserOperation`, ERC-7769). */
export async function signAndSend(
  context: ActionContext,
  { operation, context: custom, start, entry }: signAndSend.Parameters,
): Promise<SendUserOperationResult> {
  const prepared = performance.now()
  const request = await sign(context, operation, custom)
  const signed = performance.now()
  await entry?.signed(request)
  const params = [request, context.account.entryPoint.address]
  const hash = await rpc(context.client, { method: 'eth_sendUserOperation', params, action })
  entry?.sent()
  const sent = performance.now()
  return {
    hash: readHex(hash, action),
    request,
    timings: { prepareMs: prepared - start, signMs: signed - prepared, sendMs: sent - signed },
  }
}

async function sign(
  context: ActionContext,
  operation: CompleteUserOperation,
  custom: unknown,
): Promise<UserOperationRequest> {
  return toRequest(await context.stack.signUserOperation(operation, middlewareContext(context, { context: custom })))
}
