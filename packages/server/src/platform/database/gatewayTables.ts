import type { ColumnType, Generated } from 'kysely'
import type { OperationState } from 'latchkey-protocol'
import type { AdminAssetChange } from 'latchkey-protocol/admin'

/** Number of a block; as text when read, as PostgreSQL's bigint is. */
type BlockNumber = ColumnType<string | null, string | bigint | null | undefined, string | bigint | null>
/** Wei, gas or a nonce: up to 256 bits, decimal text. */
type Uint256 = ColumnType<string, string | bigint, string | bigint>
type MaybeUint256 = ColumnType<string | null, string | bigint | null | undefined, string | bigint | null>

type CreatedAt = Generated<Date>
type BigInteger = ColumnType<string, string | number | bigint, string | number | bigint>
/** `numeric(78, 0)`: decimal text. */
type Wei = ColumnType<string, string | bigint, string | bigint>

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
  /** Parameters of `eth_sendUserOperation` as they were accepted, JSON; erased when a bundler refuses them. */
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
  /** What its receipt says, and of which block that is; how often it was to be read. */
  outcome: ColumnType<OperationOutcome | null, string | null | undefined, string | null>
  outcome_block: string | null
  outcome_tries: Generated<number>
  created_at: Generated<Date>
  updated_at: Generated<Date>
}

/** What the receipt of an operation says. */
export type OperationOutcome = {
  /** What its calls reverted with, hex; null where none did or nothing was said. */
  revertData: string | null
  /** What tokens moved and approved, those of the account first; the first of `count`. */
  changes: AdminAssetChange[]
  count: number
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

/** Calls of a project that the gateway refused in an hour. */
export type RefusalTable = { project_id: string; hour: Date; code: string; count: BigInteger }

/** A chain as a gateway found it. */
export type ChainStateTable = {
  chain_id: ColumnType<string, string | number, never>
  state: ColumnType<unknown, string, string>
  error: string | null
  error_at: Date | null
  looked_at: Generated<Date>
}

/** An account that clients of the wallet API asked for. Addresses in small letters. */
export type SmartAccountTable = {
  id: string
  project_id: string
  /** Who asked for it, by an owner's address. */
  signer: string
  address: string
  /** A name of `accountFactories`. */
  factory_type: string
  /** In the factory's order. */
  owners: string[]
  salt: Uint256
  created_at: CreatedAt
}

export type SponsorshipTable = {
  id: string
  project_id: string
  policy_id: string
  chain_id: ColumnType<string, string | number, string | number>
  entry_point: string
  sender: string
  nonce: string
  user_op_hash: string | null
  /** Highest cost in wei, decimal text. */
  max_cost: Wei
  state: 'signed' | 'expired' | 'settled' | 'unused'
  valid_until: Date
  /** Null in a row of the first release, which kept no ledger. */
  paymaster: string | null
  created_at: CreatedAt
}

/** Which operations of a project are paid for. `rules`: `store/ledger/policyRules`. */
export type GasPolicyTable = {
  project_id: string
  id: string
  is_default: Generated<boolean>
  paused: Generated<boolean>
  rules: ColumnType<unknown, string, string>
  /** A trigger counts changes. */
  version: Generated<string>
  /** Who changed it last; null: the configuration. */
  changed_by: string | null
  /** It is in the policies file, which decides over its rules. */
  declared: Generated<boolean>
  created_at: CreatedAt
  updated_at: CreatedAt
}

/** One operation that a paymaster may have to pay, or has paid. Addresses are lower case. */
export type ReservationTable = {
  chain_id: BigInteger
  entry_point: string
  sender: string
  /** Decimal text. */
  nonce: Wei
  state: 'reserved' | 'released' | 'settled'
  /** The highest cost of its signatures that can still be used. */
  amount: Wei
  /** The latest of its signatures. */
  valid_until: Date
  paymaster: string
  /** Null, as is the policy, when the paymaster paid for what is not in these ledger. */
  project_id: string | null
  policy_id: string | null
  /** Who asked first: a digest of each. */
  caller_key: string | null
  caller_ip: string | null
  user_op_hash: string | null
  actual_cost: ColumnType<string | null, string | bigint | null, string | bigint | null>
  success: boolean | null
  block_number: ColumnType<string | null, string | bigint | null, string | bigint | null>
  block_hash: string | null
  block_time: Date | null
  transaction_hash: string | null
  log_index: number | null
  created_at: CreatedAt
  updated_at: CreatedAt
}

/** What settled operations of a policy cost on a day (UTC). Sender '': all of them. */
export type PolicySpendTable = {
  project_id: string
  policy_id: string
  chain_id: BigInteger
  sender: string
  day: ColumnType<Date, string, string>
  count: BigInteger
  cost: Wei
}
