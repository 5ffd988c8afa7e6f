import type { ColumnType, Generated } from 'kysely'
import type { OperationState } from 'latchkey/wire'

/** Number of a block; as text when read, as PostgreSQL's bigint is. */
type BlockNumber = ColumnType<string | null, string | bigint | null | undefined, string | bigint | null>
/** Wei, gas or a nonce: up to 256 bits, decimal text. */
type Uint256 = ColumnType<string, string | bigint, string | bigint>
type MaybeUint256 = ColumnType<string | null, string | bigint | null | undefined, string | bigint | null>

/** A user operation that we prepared, signed or sent. Addresses and hashes in small letters. */
export type OperationTable = {
  user_op_hash: string
  /** Null: our paymaster paid it, and no row of ours knew of it. */
  project_id: string | null
  policy_id: string | null
  chain_id: ColumnType<string, string | number, string | number>
  entry_point: string
  sender: string
  nonce: Uint256
  /** Who pays; null: the account itself. */
  paymaster: string | null
  /** Highest cost in wei, of one that we signed. */
  max_cost: MaybeUint256
  /** Until when our paymaster's signature counts. */
  valid_until: Date | null
  state: OperationState
  /** Parameters of `eth_sendUserOperation` as they were accepted, JSON; erased once the inclusion is confirmed. */
  request: string | null
  /** Why it failed or was dropped. */
  failure: string | null
  /** Hash of the operation that took its nonce. */
  replaced_by: string | null
  prepared_at: Date | null
  signed_at: Date | null
  sent_at: Date | null
  seen_at: Date | null
  ended_at: Date | null
  /** Block of its inclusion, or of the one that replaced it. */
  block_number: BlockNumber
  block_hash: string | null
  block_time: Date | null
  transaction_hash: string | null
  log_index: number | null
  success: boolean | null
  actual_gas_used: MaybeUint256
  actual_gas_cost: MaybeUint256
  confirmed_at: Date | null
  /** How often it was sent to a bundler again, and when it is looked at next. */
  resends: Generated<number>
  resend_at: Date | null
  created_at: Generated<Date>
  updated_at: Generated<Date>
}

/** A change of an operation; a trigger writes them. */
export type OperationEventTable = {
  id: Generated<string>
  project_id: string
  user_op_hash: string
  state: OperationState
  confirmed: boolean
  block_number: BlockNumber
  block_hash: string | null
  transaction_hash: string | null
  success: boolean | null
  actual_gas_cost: MaybeUint256
  failure: string | null
  replaced_by: string | null
  created_at: Generated<Date>
}

/** The last block of a chain that is confirmed and whose events are read. */
export type ChainCursorTable = {
  chain_id: ColumnType<string, string | number, string | number>
  entry_point: string
  block_number: ColumnType<string, string | bigint, string | bigint>
  block_hash: string
  block_time: Date
  updated_at: Generated<Date>
}
