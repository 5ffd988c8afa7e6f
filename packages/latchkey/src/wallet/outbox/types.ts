import type { Address, Hex } from 'viem'
import type { BaseError } from '../../core/errors/BaseError.ts'
import type { OutboxPort, OutboxRecord } from '../../core/outbox/OutboxPort.ts'
import type { UserOperationInput, UserOperationRequest } from '../userOperation/types.ts'

export type OutboxOptions = {
  store: OutboxPort
  /** Called once if operations cannot be stored (private mode, storage denied). @default a warning in the console */
  onUnavailable?: ((error: BaseError) => void) | undefined
}

/**
 * - `preparing`: requested, and not signed yet;
 * - `signed`: signed and stored; it is unknown whether a bundler has accepted it;
 * - `sent`: a bundler has accepted it;
 * - `refused`: signed, and refused by bundlers; it is not resent, but may still be included;
 * - `included`: in a block;
 * - `notSent`: it was never signed, and never will be;
 * - `failed`: it can no longer be included: see `evidence`.
 */
export type OperationState = 'preparing' | 'signed' | 'sent' | 'refused' | 'included' | 'notSent' | 'failed'

/** Proof from the chain that an operation can no longer be included. */
export type FailureEvidence =
  /** Another operation of the account used its nonce. `by`: its hash. */
  | { kind: 'nonceUsed'; by: Hex; transactionHash: Hex; blockNumber: bigint }
  /**
   * The paymaster accepts the operation only until `validUntil`, and a confirmed block is later than that. Both in
   * seconds since the epoch.
   */
  | { kind: 'paymasterExpired'; paymaster: Address; validUntil: bigint; blockNumber: bigint; blockTimestamp: bigint }

/** This browser's record of an account's operation, from its request on. Contains no secret. */
export type OperationRecord = OutboxRecord & {
  readonly version: 1
  readonly state: OperationState
  readonly chainId: number
  readonly entryPoint: Address
  readonly account: Address
  /** Requested calls. */
  readonly uo: UserOperationInput
  readonly nonceKey: bigint
  /** Milliseconds since the epoch. */
  readonly createdAtMs: number
  /** The exact signed operation, which is resent unchanged. */
  readonly request?: UserOperationRequest | undefined
  /** Hash of the user operation, once the operation is signed. */
  readonly hash?: Hex | undefined
  /** Reason why the operation was not sent or was refused, as a sentence. */
  readonly reason?: string | undefined
  readonly transactionHash?: Hex | undefined
  readonly blockNumber?: bigint | undefined
  /** The operation is in a block, but its call reverted. */
  readonly isReverted?: boolean | undefined
  readonly evidence?: FailureEvidence | undefined
}

export type WatchOperationsParameters = {
  /** Called immediately with the records, newest first, and after each change, in this tab or another. */
  onChange: (operations: readonly OperationRecord[]) => void
  /** Called when the records cannot be read. */
  onError?: ((error: unknown) => void) | undefined
}

export type WatchOperationParameters = {
  /** Id of the record. */
  id: string
  /** Called immediately and after each change. The operation is undefined if this account has no such record. */
  onChange: (operation: OperationRecord | undefined) => void
  onError?: ((error: unknown) => void) | undefined
}
