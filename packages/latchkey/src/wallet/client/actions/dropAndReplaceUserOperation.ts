import type { Hex } from 'viem'
import { BaseError } from '../../../core/errors/BaseError.ts'
import { runStack } from '../../middleware/runStack.ts'
import { bigIntMax } from '../../userOperation/bigIntMax.ts'
import { bigIntMultiply } from '../../userOperation/bigIntMultiply.ts'
import { requireComplete } from '../../userOperation/requireComplete.ts'
import type {
  SendUserOperationParameters,
  SendUserOperationResult,
  UserOperationDraft,
  UserOperationOverrides,
  UserOperationRequest,
  UserOperationStruct,
} from '../types.ts'
import { type ActionContext, middlewareContext } from './context.ts'
import { sendBuilt } from './sendBuilt.ts'

export declare namespace dropAndReplaceUserOperation {
  type Parameters = Pick<SendUserOperationParameters, 'overrides' | 'context'> & {
    /** The operation as it was sent: `request` of `sendUserOperation`. */
    uoToDrop: UserOperationRequest
  }
  type ReturnType = SendUserOperationResult
  type ErrorType = BaseError
}

/** What bundlers ask of a replacement at least (ERC-4337 mempools): ten per cent more. */
const leastRaise = 1.1

/**
 * Sends an operation again at a higher price, so that it takes the place of one that waits. Nonce, calls and deployment
 * stay; fees are the present ones, and at least ten per cent more than they were.
 */
export async function dropAndReplaceUserOperation(
  context: ActionContext,
  parameters: dropAndReplaceUserOperation.Parameters,
): Promise<dropAndReplaceUserOperation.ReturnType> {
  const start = performance.now()
  const { uoToDrop, overrides = {} } = parameters
  const draft = draftOf(context, uoToDrop)
  const run = async (own: UserOperationOverrides) => {
    const middleware = middlewareContext(context, { overrides: own, context: parameters.context })
    return requireComplete(await runStack(context.stack, draft, middleware), context.account.entryPointVersion)
  }
  const fresh = await run(overrides)
  const fees = {
    maxFeePerGas: raise(uoToDrop.maxFeePerGas, fresh.maxFeePerGas),
    maxPriorityFeePerGas: raise(uoToDrop.maxPriorityFeePerGas, fresh.maxPriorityFeePerGas),
  }
  const uoStruct = await run({ ...overrides, ...fees })
  requireRaised(uoStruct, fees)
  return sendBuilt(context, { uoStruct, context: parameters.context, start })
}

function draftOf({ account }: ActionContext, uoToDrop: UserOperationRequest): UserOperationDraft {
  const { sender, nonce, callData, initCode, factory, factoryData } = uoToDrop
  if (sender.toLowerCase() !== account.address.toLowerCase()) {
    throw new BaseError('The operation to replace is of another account.', {
      code: 'USER_OPERATION_INVALID',
      metaMessages: [`Its sender: ${sender}`, `This account: ${account.address}`],
    })
  }
  const deployment = account.entryPointVersion === '0.6.0' ? { initCode } : { factory, factoryData }
  // The real signature of the old operation would make estimates of another length, and is nobody's business.
  return { ...deployment, sender, nonce: BigInt(nonce), callData, signature: account.getStubSignature() }
}

function raise(old: Hex | undefined, fresh = 0n): bigint {
  return bigIntMax(fresh, bigIntMultiply(BigInt(old ?? 0n), leastRaise))
}

/** With a gas manager the fees travel as overrides, and hold only if it keeps to them. */
function requireRaised(
  struct: UserOperationStruct,
  fees: { maxFeePerGas: bigint; maxPriorityFeePerGas: bigint },
): void {
  const { maxFeePerGas = 0n, maxPriorityFeePerGas = 0n } = struct
  if (maxFeePerGas >= fees.maxFeePerGas && maxPriorityFeePerGas >= fees.maxPriorityFeePerGas) return
  throw new BaseError('The fees of the replacement were not raised.', {
    code: 'USER_OPERATION_INVALID',
    metaMessages: ['The gas manager, or `feeEstimator`, did not keep to `overrides`. Nothing was sent.'],
  })
}
