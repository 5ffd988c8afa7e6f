import type { Hex } from 'viem'
import { BaseError } from '../../core/errors/BaseError.ts'

export declare namespace UserOperationRevertedError {
  type Options = {
    userOperationHash: Hex
    transactionHash: Hex
    /** Revert data, or text, where the bundler or the EntryPoint gave one. */
    revertData?: string | undefined
    reason?: string | undefined
  }
}

/** A user operation got into a block and its call reverted. Gas was paid nevertheless. */
export class UserOperationRevertedError extends BaseError {
  readonly userOperationHash: Hex
  readonly transactionHash: Hex
  readonly reason: string | undefined
  readonly revertData: string | undefined

  constructor(options: UserOperationRevertedError.Options) {
    const { userOperationHash, transactionHash, reason, revertData } = options
    super(`The user operation was included, but its call reverted${reason ? `: ${reason}` : '.'}`, {
      code: 'USER_OPERATION_REVERTED',
      metaMessages: [`User operation: ${userOperationHash}`, `Transaction: ${transactionHash}`],
      name: 'UserOperationRevertedError',
    })
    this.userOperationHash = userOperationHash
    this.transactionHash = transactionHash
    this.reason = reason
    this.revertData = revertData
  }
}
