import { requireUint } from '../../../core/arguments.ts'
import { getFormat } from '../../entryPoint/formats.ts'
import { type Entry, withRecord } from '../../outbox/withRecord.ts'
import { readHex, rpc } from '../../rpc.ts'
import { requireComplete, toRequest } from '../../userOperation/states.ts'
import { toPlainInput } from '../../userOperation/toPlainInput.ts'
import type { CompleteUserOperation, UserOperationRequest, UserOperationStruct } from '../../userOperation/types.ts'
import type { SendUserOperationParameters, SendUserOperationResult } from '../types.ts'
import { buildUserOperation } from './buildUserOperation.ts'
import { type ActionContext, middlewareContext } from './context.ts'

const action = 'Could not send the operation.'

/**
 * Builds, signs and sends a user operation. Resolves once the bundler has accepted the operation, before it is in a
 * block. Each call has `data`, or `abi`, `functionName` and `args`, which the compiler checks.
 *
 * @throws `ARGUMENT_INVALID` if a function or its arguments do not match the ABI; no request is sent. `STORAGE_FULL`,
 * `STORAGE_FAILED`, `TURN_LOST` if the outbox cannot store the operation; it is not sent. `USER_OPERATION_INVALID`,
 * `USER_OPERATION_INCLUDED` if the bundler refuses the operation. Errors of `buildUserOperation` and
 * `signUserOperation`.
 *
 * @example
 * ```ts
 * import { sendUserOperation } from 'latchkey'
 * import { erc20Abi } from 'viem'
 * import { context } from './config.ts'
 *
 * const to = '0x000000000000000000000000000000000000dEaD'
 * const token = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'
 * const transfer = { target: token, abi: erc20Abi, functionName: 'transfer', args: [to, 5n] } as const
 * const { hash } = await sendUserOperation(context, { uo: [transfer, { target: to, data: '0x', value: 1n }] })
 * console.log(hash)
 * ```
 */
export async function sendUserOperation<const uo>(
  context: ActionContext,
  parameters: SendUserOperationParameters<uo>,
): Promise<SendUserOperationResult> {
  const start = performance.now()
  const { overrides: { nonceKey = 0n } = {} } = parameters
  const uo = toPlainInput(parameters.uo)
  requireUint('The nonce key', nonceKey, 192)
  return withRecord(context, { uo, nonceKey }, async (entry) => {
    const operation = await buildUserOperation(context, { ...parameters, uo })
    return signAndSend(context, { operation, context: parameters.context, start, entry })
  })
}

/**
 * Signs a built operation and returns it in JSON-RPC form.
 *
 * @throws `USER_OPERATION_INVALID` if a field is missing. With the wallet's signer: `SIGNER_NOT_AUTHENTICATED`,
 * `ABORTED` if the session ends first, `PASSKEY_CANCELLED`, `PASSKEY_FAILED`, `PASSKEY_TIMEOUT`, `FRAME_LOST`,
 * `FRAME_TIMEOUT`, `HTTP_FAILED`, `NETWORK_UNREACHABLE`.
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
    /** Time at which building started (`performance.now()`). */
    start: number
    /** Outbox record of the operation. */
    entry: Entry | undefined
  }
}

/** Signs a built operation and sends it to the bundler (`eth_sendUserOperation`, ERC-7769). */
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
