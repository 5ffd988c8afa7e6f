import type { ColumnType, Generated } from 'kysely'
import type { OperationState } from 'latchkey-protocol'
import type { AdminAssetChange } from 'latchkey-protocol/admin'

/** Block number; read as text, like PostgreSQL's bigint. */
type BlockNumber = ColumnType<string | null, string | bigint | null | undefined, string | bigint | null>
/** Wei, gas or a nonce: up to 256 bits, decimal text. */
type Uint256 = ColumnType<string, string | bigint, string | bigint>
type MaybeUint256 = ColumnType<string | null, string | bigint | null | undefined, string | bigint | null>

type CreatedAt = Generated<Date>
type BigInteger = ColumnType<string, string | number | bigint, string | number | bigint>
/** `numeric(78, 0)`: decimal text. */
type Wei = ColumnType<string, string | bigint, string | bigint>

/** A user operation that we prepared, signed or sent. Addresses and hashes are lower case. */
export type OperationTable = {
  user_op_hash: string
  /** Null: paid by our paymaster without a known project. */
  project_id: string | null
  policy_id: string | null
  chain_id: ColumnType<string, string | number, string | number>
  entry_point: string
  sender: string
  nonce: Uint256
  /** Null: the account pays for itself. */
  paymaster: string | null
  /** Highest cost in wei of an operation that we signed. */
  max_cost: MaybeUint256
  /** Expiry of our paymaster's signature. */
  valid_until: Date | null
  state: OperationState
  /** Accepted parameters of `eth_sendUserOperation`, JSON; erased when a bundler refuses them. */
  request: string | null
  /** Reason why the operation failed or was dropped. */
  failure: string | null
  /** Hash of the included operation that used the same nonce. */
  replaced_by: string | null
  prepared_at: Date | null
  signed_at: Date | null
  sent_at: Date | null
  seen_at: Date | null
  ended_at: Date | null
  /** Block that included the operation or its replacement. */
  block_number: BlockNumber
  block_hash: string | null
  block_time: Date | null
  transaction_hash: string | null
  log_index: number | null
  success: boolean | null
  actual_gas_used: MaybeUint256
  actual_gas_cost: MaybeUint256
  confirmed_at: Date | null
  /** Number of resends to a bundler, and time of the next check. */
  resends: Generated<number>
  resend_at: Date | null
  /** Data of its receipt, the receipt's block, and the number of attempts to read it. */
  outcome: ColumnType<OperationOutcome | null, string | null | undefined, string | null>
  outcome_block: string | null
  outcome_tries: Generated<number>
  created_at: Generated<Date>
  updated_at: Generated<Date>
}

/** Data from an operation's receipt. */
export type OperationOutcome = {
  /** Revert data of its calls, hex; null if no call reverted or the receipt has none. */
  revertData: string | null
  /** First token transfers and approvals of `count` in total, starting with those of the account. */
  changes: AdminAssetChange[]
  count: number
}

/** A change of an operation, written by a trigger. */
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

/** The last confirmed block of a chain whose events are read. */
export type ChainCursorTable = {
  chain_id: ColumnType<string, string | number, string | number>
  entry_point: string
  block_number: ColumnType<string, string | bigint, string | bigint>
  block_hash: string
  block_time: Date
  updated_at: Generated<Date>
}

/** Number of a project's calls that the gateway refused in an hour. */
export type RefusalTable = { project_id: string; hour: Date; code: string; count: BigInteger }

/** State of a chain as observed by a gateway. */
export type ChainStateTable = {
  chain_id: ColumnType<string, string | number, never>
  state: ColumnType<unknown, string, string>
  error: string | null
  error_at: Date | null
  looked_at: Generated<Date>
}

/** An account requested by clients of the wallet API. Addresses are lower case. */
export type SmartAccountTable = {
  id: string
  project_id: string
  /** Owner address of the requester. */
  signer: string
  address: string
  /** A name of `accountFactories`. */
  factory_type: string
  /** In the factory's order. */
  owners: string[]
  salt: Uint256
  created_at: CreatedAt
}

/** Permissions of a key that a client requested. Only the client stores the owner's signature. */
export type WalletSessionTable = {
  id: string
  project_id: string
  /** Account, in lower case. */
  address: string
  chain_id: ColumnType<string, string | number, never>
  /** Entity id of the key in the account. */
  entity_id: number
  is_global: boolean
  has_execution_hooks: boolean
  /** Call data of the account that installs the key. */
  install_call: string
  /** Seconds since the epoch; 0: none. */
  deadline: ColumnType<string, string | number, never>
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
  /** Maximum cost in wei, decimal text. */
  max_cost: Wei
  state: 'signed' | 'expired' | 'settled' | 'unused'
  valid_until: Date
  /** Null in rows of the first release, which had no ledger. */
  paymaster: string | null
  /** Digests of the requester. */
  caller_key: string | null
  caller_ip: string | null
  /** Signed priority fee in wei. */
  tip: MaybeUint256
  /** Number of consecutive replacements whose tip was accepted only because it raised the previous one. */
  raises: Generated<number>
  /** Time at which the tip before these replacements was within the market's limit. */
  priced_at: CreatedAt
  /** Time at which a bundler accepted the operation, with the account's signature, through this gateway. */
  sent_at: Date | null
  created_at: CreatedAt
}

/** Rules for which operations of a project are sponsored. `rules`: `store/ledger/policyRules`. */
export type GasPolicyTable = {
  project_id: string
  id: string
  is_default: Generated<boolean>
  paused: Generated<boolean>
  rules: ColumnType<unknown, string, string>
  /** Incremented by a trigger on each change. */
  version: Generated<string>
  /** Operator who made the last change; null if it came from the configuration. */
  changed_by: string | null
  /** Whether the policies file declares the policy and thus sets its rules. */
  declared: Generated<boolean>
  created_at: CreatedAt
  updated_at: CreatedAt
}

/** An operation that a paymaster has paid or may have to pay. Addresses are lower case. */
export type ReservationTable = {
  chain_id: BigInteger
  entry_point: string
  sender: string
  /** Decimal text. */
  nonce: Wei
  state: 'reserved' | 'released' | 'settled'
  /** Highest cost of its unexpired signatures. */
  amount: Wei
  /** Latest expiry of its signatures. */
  valid_until: Date
  paymaster: string
  /** Null, like the policy, if the paymaster paid for an operation missing from this ledger. */
  project_id: string | null
  policy_id: string | null
  /** Digests of the requester of the included signature. */
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

/** Cost of a policy's settled operations per day (UTC). */
export type PolicySpendTable = {
  project_id: string
  policy_id: string
  chain_id: BigInteger
  /** A sender's address; `key:` or `ip:` followed by a requester's digest; or '' for all operations. */
  spender: string
  day: ColumnType<Date, string, string>
  count: BigInteger
  cost: Wei
}
