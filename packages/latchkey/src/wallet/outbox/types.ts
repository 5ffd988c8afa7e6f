import type { Address, Hex } from 'viem'
import type { BaseError } from '../../core/errors/BaseError.ts'
import type { OutboxPort, OutboxRecord } from '../../core/outbox/OutboxPort.ts'
import type { UserOperationInput, UserOperationRequest } from '../userOperation/types.ts'

export type OutboxOptions = {
  store: OutboxPort
  /** Called once where operations cannot be kept (private mode, storage denied). @default a warning in the console */
  onUnavailable?: ((error: BaseError) => void) | undefined
}

/**
 * - `preparing`: pressed, and not signed yet;
 * - `signed`: signed and kept; whether a bundler has taken it is not known;
 * - `sent`: a bundler has taken it;
 * - `refused`: signed, and bundlers refused it; it is not sent again, and may still be included;
 * - `included`: in a block;
 * - `notSent`: it was never signed, and never will be;
 * - `failed`: it can no longer be included: see `evidence`.
 */
export type OperationState = 'preparing' | 'signed' | 'sent' | 'refused' | 'included' | 'notSent' | 'failed'

/** Why an operation can no longer be included, as the chain shows it. */
export type FailureEvidence =
  /** Another operation of the account used its nonce. `by`: its hash. */
  | { kind: 'nonceUsed'; by: Hex; transactionHash: Hex; blockNumber: bigint }
  /** Its paymaster takes it until `validUntil` only, and a confirmed block is later. Both in seconds since the epoch. */
  | { kind: 'paymasterExpired'; paymaster: Address; validUntil: bigint; blockNumber: bigint; blockTimestamp: bigint }

/** An operation from the press on, as this browser keeps it for its account. It holds no secret. */
export type OperationRecord = OutboxRecord & {
  readonly version: 1
  readonly state: OperationState
  readonly chainId: number
  readonly entryPoint: Address
  readonly account: Address
  /** What was asked for. */
  readonly uo: UserOperationInput
  readonly nonceKey: bigint
  /** Milliseconds since the epoch. */
  readonly createdAtMs: number
  /** Exactly what was signed: it is sent again as it is, and never changed. */
  readonly request?: UserOperationRequest | undefined
  /** Of the user operation, since it is signed. */
  readonly hash?: Hex | undefined
  /** Why it was not sent or refused, as a sentence. */
  readonly reason?: string | undefined
  readonly transactionHash?: Hex | undefined
  readonly blockNumber?: bigint | undefined
  /** It is in a block, and its call reverted. */
  readonly isReverted?: boolean | undefined
  readonly evidence?: FailureEvidence | undefined
}

export type WatchOperationsParameters = {
  /** Called at once with what is kept, and after each change, in this tab or another. Newest first. */
  onChange: (operations: readonly OperationRecord[]) => void
  /** Called when what is kept cannot be read. */
  onError?: ((error: unknown) => void) | undefined
}

export type WatchOperationParameters = {
  /** Of the record. */
  id: string
  /** Called at once and after each change. Undefined where it is not kept, or not of this account. */
  onChange: (operation: OperationRecord | undefined) => void
  onError?: ((error: unknown) => void) | undefined
}
