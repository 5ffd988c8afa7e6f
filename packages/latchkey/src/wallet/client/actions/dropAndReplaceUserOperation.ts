import type { Hex } from 'viem'
import { BaseError } from '../../../core/errors/BaseError.ts'
import { getFormat } from '../../entryPoint/formats.ts'
import { runStack } from '../../middleware/stack.ts'
import { withRecord } from '../../outbox/withRecord.ts'
import { bigIntMax, bigIntMultiply } from '../../userOperation/gasValues.ts'
import type {
  CompleteUserOperation,
  UserOperationDraft,
  UserOperationOverrides,
  UserOperationRequest,
} from '../../userOperation/types.ts'
import type { ReplaceParameters, SendUserOperationResult } from '../types.ts'
import { type ActionContext, middlewareContext } from './context.ts'
import { signAndSend } from './sendUserOperation.ts'

/** Minimum fee increase that bundlers require of a replacement (ERC-4337 § Alternative Mempools): ten percent. */
const leastRaise = 1.1

/**
 * Replaces a pending operation by sending it again with higher fees. Nonce, calls and deployment stay the same. The new
 * fees are the current fees, but at least ten percent above the previous fees.
 *
 * @throws `USER_OPERATION_INVALID` if the operation belongs to another account, or its fees were not raised; errors of
 * `sendUserOperation`.
 *
 * @example
 * ```ts
 * import { dropAndReplaceUserOperation, sendUserOperation } from 'latchkey'
 * import { context } from './config.ts'
 *
 * const uo = { target: '0x000000000000000000000000000000000000dEaD', data: '0x' } as const
 * const { request } = await sendUserOperation(context, { uo })
 * const { hash } = await dropAndReplaceUserOperation(context, { uoToDrop: request })
 * console.log(hash)
 * ```
 */
export async function dropAndReplaceUserOperation(
  context: ActionContext,
  parameters: ReplaceParameters,
): Promise<SendUserOperationResult> {
  const start = performance.now()
  const { uoToDrop, overrides = {}, context: custom } = parameters
  const draft = keepDraft(context, uoToDrop)
  const wish = {
    uo: uoToDrop.callData,
    nonceKey: context.account.readNonceKey(BigInt(uoToDrop.nonce)),
    isReplacement: true,
  }
  const build = (overrides: UserOperationOverrides) =>
    runStack(context.stack, draft, middlewareContext(context, { overrides, context: custom }))
  return withRecord(context, wish, async (entry) => {
    const fresh = await build(overrides)
    const fees = {
      maxFeePerGas: raise(uoToDrop.maxFeePerGas, fresh.maxFeePerGas),
      maxPriorityFeePerGas: raise(uoToDrop.maxPriorityFeePerGas, fresh.maxPriorityFeePerGas),
    }
    const operation = await build({ ...overrides, ...fees })
    requireRaised(operation, fees)
    return signAndSend(context, { operation, context: custom, start, entry })
  })
}

/** Returns the fields that the replacement shares with the replaced operation. */
function keepDraft({ account }: ActionContext, uoToDrop: UserOperationRequest): UserOperationDraft {
  const { sender, nonce, callData } = uoToDrop
  if (sender.toLowerCase() !== account.address.toLowerCase()) {
    throw new BaseError('The operation to replace belongs to another account.', {
      code: 'USER_OPERATION_INVALID',
      metaMessages: [`Its sender: ${sender}`, `This account: ${account.address}`],
    })
  }
  return {
    ...getFormat(account).keepDeployment(uoToDrop),
    sender,
    nonce: BigInt(nonce),
    callData,
    // Uses the dummy signature: the estimate expects its length, and the real signature must not be disclosed again.
    signature: account.getStubSignature({ nonce: BigInt(nonce) }),
  }
}

function raise(old: Hex | undefined, fresh: bigint): bigint {
  return bigIntMax(fresh, bigIntMultiply(BigInt(old ?? 0n), leastRaise))
}

/** Checks the fee increase, because a gas manager may ignore the fees in the overrides. */
function requireRaised(
  { maxFeePerGas, maxPriorityFeePerGas }: CompleteUserOperation,
  fees: { maxFeePerGas: bigint; maxPriorityFeePerGas: bigint },
): void {
  if (maxFeePerGas >= fees.maxFeePerGas && maxPriorityFeePerGas >= fees.maxPriorityFeePerGas) return
  throw new BaseError('The fees of the replacement were not raised.', {
    code: 'USER_OPERATION_INVALID',
    metaMessages: ['The gas manager, or `feeEstimator`, did not use `overrides`. Nothing was sent.'],
  })
}
