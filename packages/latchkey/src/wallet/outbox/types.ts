import type { Address, Hex } from 'viem'
import type { BaseError } from '../../core/errors/BaseError.ts'
import type { OutboxPort, OutboxRecord } from '../../core/outbox/OutboxPort.ts'
import type { UserOperationInput, UserOperationRequest } from '../userOperation/types.ts'

export type OutboxOptions = {
  store: OutboxPort
  /**
   * Called once if operations cannot be stored (private mode, blocked storage).
   * @default logs a warning to the console
   */
  onUnavailable?: ((error: BaseError) => void) | undefined
}

/**
 * - `preparing`: not signed yet;
 * - `signed`: signed and stored; it is unknown whether a bundler has accepted the operation;
 * - `sent`: accepted by a bundler;
 * - `refused`: signed, but refused by the bundlers; not resent, but may still be included;
 * - `included`: in a block;
 * - `notSent`: never signed, and never will be;
 * - `failed`: can no longer be included; see `evidence`.
 */
export type OperationState = 'preparing' | 'signed' | 'sent' | 'refused' | 'included' | 'notSent' | 'failed'

/** On-chain proof that an operation can no longer be included. */
export type FailureEvidence =
  /** Another operation of the account used the nonce. `by`: hash of that operation. */
  | { kind: 'nonceUsed'; by: Hex; transactionHash: Hex; blockNumber: bigint }
  /**
   * The paymaster accepted the operation only until `validUntil`, and a confirmed block has a later timestamp. Both in
   * seconds since the epoch.
   */
  | { kind: 'paymasterExpired'; paymaster: Address; validUntil: bigint; blockNumber: bigint; blockTimestamp: bigint }

/** This browser's record of an operation, created before it is sent. Contains no secrets. */
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
  /** Signed operation, which is resent unchanged. */
  readonly request?: UserOperationRequest | undefined
  /** Hash of the user operation, once the operation is signed. */
  readonly hash?: Hex | undefined
  /** Reason as a sentence, if the operation was refused or not sent. */
  readonly reason?: string | undefined
  readonly transactionHash?: Hex | undefined
  readonly blockNumber?: bigint | undefined
  /** The operation is in a block, but its call reverted. */
  readonly isReverted?: boolean | undefined
  readonly evidence?: FailureEvidence | undefined
}

export type WatchOperationsParameters = {
  /** Called with the records, newest first: immediately and after each change in any tab. */
  onChange: (operations: readonly OperationRecord[]) => void
  /** Called when the records cannot be read. */
  onError?: ((error: unknown) => void) | undefined
}

export type WatchOperationParameters = {
  /** Id of the record. */
  id: string
  /** Called immediately and after each change. `operation` is undefined if this account has no such record. */
  onChange: (operation: OperationRecord | undefined) => void
  onError?: ((error: unknown) => void) | undefined
}
