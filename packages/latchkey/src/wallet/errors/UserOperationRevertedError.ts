import type { Hex } from 'viem'
import { BaseError } from '../../core/errors/BaseError.ts'

export declare namespace UserOperationRevertedError {
  type Options = {
    userOperationHash: Hex
    transactionHash: Hex
    /** Revert data as hex, or a reason as text, if the bundler or the EntryPoint reported it. */
    revertData?: string | undefined
    reason?: string | undefined
    /** Whether the paymaster failed after the calls and thereby reverted them (EntryPoint 0.7). */
    isPaymasters?: boolean | undefined
  }
}

const paymasterFailed = 'The user operation was included, but its paymaster failed after its calls, which were undone.'

/** A user operation is in a block, but its call reverted. Its gas was paid. */
export class UserOperationRevertedError extends BaseError {
  readonly userOperationHash: Hex
  readonly transactionHash: Hex
  readonly reason: string | undefined
  readonly revertData: string | undefined

  constructor(options: UserOperationRevertedError.Options) {
    const { userOperationHash, transactionHash, reason, revertData, isPaymasters } = options
    const call = `The user operation was included, but its call reverted${reason ? `: ${reason}` : '.'}`
    const hint = 'The operator of the paymaster can tell why. Send the operation again, or without a paymaster.'
    super(isPaymasters ? paymasterFailed : call, {
      code: 'USER_OPERATION_REVERTED',
      metaMessages: [
        ...(isPaymasters ? [hint] : []),
        `User operation: ${userOperationHash}`,
        `Transaction: ${transactionHash}`,
      ],
      details: isPaymasters ? reason : undefined,
      name: 'UserOperationRevertedError',
    })
    this.userOperationHash = userOperationHash
    this.transactionHash = transactionHash
    this.reason = reason
    this.revertData = revertData
  }
}
