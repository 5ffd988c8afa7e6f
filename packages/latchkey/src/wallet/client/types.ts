import type { SimulateAssetChangesResult } from 'latchkey-protocol'
import type { Address, Chain, Client, Hex, SignableMessage, Transport, TypedData, TypedDataDefinition } from 'viem'
import type { upgradeAccount } from '../../accounts/actions/upgradeAccount.ts'
import type { LatchkeyAccount } from '../../accounts/types.ts'
import type { OperationRecord, WatchOperationParameters, WatchOperationsParameters } from '../outbox/types.ts'
import type {
  AnyUserOperationInput,
  CallInput,
  CheckedUserOperationInput,
  FeeOptions,
  GasEstimate,
  UserOperationOverrides,
  UserOperationRequest,
  UserOperationStruct,
} from '../userOperation/types.ts'
import type { ReadActions } from './actions/reads.ts'

/** Connection to the JSON-RPC service: `apiKey`, `jwt`, or `rpcUrl` with or without `jwt`. */
export type Connection = {
  /** URL to use unchanged. Takes precedence over the chain's URL. */
  rpcUrl?: string | undefined
  /** Last segment of the URL path. */
  apiKey?: string | undefined
  /** Sent as `Authorization: Bearer`. */
  jwt?: string | undefined
  /**
   * One or more ERC-4337 bundlers for the methods of ERC-7769. If the first is unreachable, the next receives the same
   * bytes. Bundlers receive neither API key nor JWT, and their receipts are checked against the node.
   * @default the service of `rpcUrl` or `apiKey`
   */
  bundlerUrl?: string | readonly string[] | undefined
  /**
   * Whether the service is Latchkey's own gateway.
   * @default the chain's setting, otherwise detected during the first sponsored operation
   */
  gateway?: boolean | undefined
}

/** Client members that a JSON-RPC call needs. */
export type RpcClient = Pick<Client, 'request'> & { chain?: Chain | undefined }

export type ClientOptions = {
  feeOptions?: FeeOptions | undefined
  /** Upper bounds for fees and gas reported by services, applied if the account pays. */
  costCaps?: CostCaps | undefined
  /**
   * Maximum number of receipt requests.
   * @default 5
   */
  txMaxRetries?: number | undefined
  /**
   * Wait before the first receipt request, in milliseconds.
   * @default 2000
   */
  txRetryIntervalMs?: number | undefined
  /**
   * Growth factor of the wait before each further receipt request.
   * @default 1.5
   */
  txRetryMultiplier?: number | undefined
  /**
   * Poll interval for the EntryPoint's event, in milliseconds; 0 disables it.
   * @default the chain's block time, at least 100 and at most 1000
   */
  txWatchIntervalMs?: number | undefined
  /**
   * Number of blocks that must follow the block that proves a failure, before the outbox reports the failure.
   * @default 3
   */
  outboxConfirmations?: number | undefined
}

export type CostCaps = {
  /**
   * Maximum priority fee to accept from a service, as a multiple of the latest block's base fee, or of 1 gwei if that
   * is more.
   * @default 10
   */
  feeFactor?: number | undefined
  /**
   * Maximum `preVerificationGas`, as a multiple of the L1 cost of the operation's own bytes. `preVerificationGas` is
   * always paid in full, and on an L2 it includes the L1 data fee.
   * @default 100
   */
  gasFactor?: number | undefined
}

/** Overrides the client's `txMaxRetries`, `txRetryIntervalMs` and `txRetryMultiplier` for one wait. */
export type WaitRetries = {
  maxRetries?: number | undefined
  intervalMs?: number | undefined
  multiplier?: number | undefined
}

export type WaitParameters = {
  /** Hash of the user operation. */
  hash: Hex
  retries?: WaitRetries | undefined
  /** Ends the wait and its pending requests. */
  signal?: AbortSignal | undefined
  /** Operation as sent, for the error of a failed wait (`WaitForUserOperationError`). */
  request?: UserOperationRequest | undefined
}

/** Durations of the steps of sending, in milliseconds. */
export type SendTimings = {
  /** Time for nonce, fees, gas and sponsorship. */
  prepareMs: number
  signMs: number
  sendMs: number
}

export type SendUserOperationParameters<uo = AnyUserOperationInput> = {
  /**
   * Calls with `target` and `data`, calls with `target`, `abi`, `functionName` and `args`, or the account's own call
   * data.
   */
  uo: CheckedUserOperationInput<uo>
  overrides?: UserOperationOverrides | undefined
  /** Passed to every middleware. */
  context?: unknown
}

/** Transaction as apps and wallets pass it: quantities as bigint or hex. */
export type TransactionInput = {
  /** Address of the account, if given. */
  from?: Address | undefined
  to?: Address | null | undefined
  /** @default '0x' */
  data?: Hex | undefined
  /**
   * Value in wei.
   * @default 0n
   */
  value?: bigint | Hex | undefined
  /** Wei per gas. */
  maxFeePerGas?: bigint | Hex | undefined
  /** Wei per gas. */
  maxPriorityFeePerGas?: bigint | Hex | undefined
}

export type TransactionsParameters = Pick<SendUserOperationParameters, 'overrides' | 'context'> & {
  requests: readonly TransactionInput[]
  /** Ends the wait for a block. Does not cancel an operation that was already sent. */
  signal?: AbortSignal | undefined
}

/** `overrides`: the given overrides, completed with the highest fees of the transactions. */
export type TransactionsResult = {
  uoStruct: UserOperationStruct
  batch: CallInput[]
  overrides: UserOperationOverrides
}

export type ReplaceParameters = Pick<SendUserOperationParameters, 'overrides' | 'context'> & {
  /** Operation as sent: the `request` returned by `sendUserOperation`. */
  uoToDrop: UserOperationRequest
}

export type SendUserOperationResult = {
  /** Hash of the user operation, not of a transaction. */
  hash: Hex
  request: UserOperationRequest
  timings: SendTimings
}

export type UserOperationReceipt = {
  userOpHash: Hex
  sender: Address
  nonce: bigint
  /** Paymaster; the zero address if the account paid. */
  paymaster?: Address | undefined
  success: boolean
  /** Revert data as hex, or a reason as text, from the bundler. */
  reason?: string | undefined
  /** Cost in wei. */
  actualGasCost: bigint
  actualGasUsed: bigint
  receipt: { transactionHash: Hex; blockNumber: bigint }
}

export type SentUserOperation = {
  userOperation: UserOperationRequest
  entryPoint: Address
  /** Null until the operation is in a block, like the next two members. */
  transactionHash: Hex | null
  blockHash: Hex | null
  blockNumber: bigint | null
}

/** Signs typed data (EIP-712). The compiler checks the message against `types` and `primaryType`. */
export type SignTypedData = <
  const typedData extends TypedData | Record<string, unknown>,
  primaryType extends keyof typedData | 'EIP712Domain' = keyof typedData,
>(parameters: {
  typedData: TypedDataDefinition<typedData, primaryType>
}) => Promise<Hex>

export type SmartAccountActions = {
  getAddress(): Promise<Address>
  buildUserOperation<const uo>(parameters: SendUserOperationParameters<uo>): Promise<UserOperationStruct>
  buildUserOperationFromTx(
    transaction: TransactionInput,
    overrides?: UserOperationOverrides,
    context?: unknown,
  ): Promise<UserOperationStruct>
  buildUserOperationFromTxs(parameters: TransactionsParameters): Promise<TransactionsResult>
  signUserOperation(parameters: { uoStruct: UserOperationStruct; context?: unknown }): Promise<UserOperationRequest>
  sendUserOperation<const uo>(parameters: SendUserOperationParameters<uo>): Promise<SendUserOperationResult>
  /** Sends a transaction. Resolves to its hash once it is in a block. */
  sendTransaction(transaction: TransactionInput, overrides?: UserOperationOverrides, context?: unknown): Promise<Hex>
  /** Sends several transactions in one operation, like `sendTransaction`. */
  sendTransactions(parameters: TransactionsParameters): Promise<Hex>
  dropAndReplaceUserOperation(parameters: ReplaceParameters): Promise<SendUserOperationResult>
  simulateUserOperation<const uo>(parameters: SendUserOperationParameters<uo>): Promise<SimulateAssetChangesResult>
  /** Returns the bundler's estimate of gas limits, without a paymaster. */
  estimateUserOperationGas<const uo>(parameters: SendUserOperationParameters<uo>): Promise<GasEstimate>
  /** Upgrades the account. Resolves to the hash of the operation, or of the transaction if `waitForTx` is set. */
  upgradeAccount(parameters: upgradeAccount.Parameters): Promise<upgradeAccount.ReturnType>
  checkGasSponsorshipEligibility<const uo>(parameters: SendUserOperationParameters<uo>): Promise<boolean>
  /** Resolves to the hash of the transaction that included the operation. */
  waitForUserOperationTransaction(parameters: WaitParameters): Promise<Hex>
  /** Lists this browser's operation records of the account, newest first. */
  listOperations(): Promise<readonly OperationRecord[]>
  /** Calls back immediately and after each change. Returns an unsubscribe function. */
  watchOperations(parameters: WatchOperationsParameters): () => void
  watchOperation(parameters: WatchOperationParameters): () => void
  /** Removes the record of a finished operation. */
  dismissOperation(parameters: { id: string }): Promise<void>
  /** Resends signed operations byte by byte unchanged, and tracks each operation until its outcome is known. */
  resumeOperations(): Promise<void>
  signMessage(parameters: { message: SignableMessage }): Promise<Hex>
  signTypedData: SignTypedData
  signMessageWith6492(parameters: { message: SignableMessage }): Promise<Hex>
  signTypedDataWith6492: SignTypedData
}

export type BundlerActions = {
  /** Returns a sent operation; null if the bundler does not know it. */
  getUserOperationByHash(hash: Hex): Promise<SentUserOperation | null>
  /** Returns the receipt; null until the operation is in a block. */
  getUserOperationReceipt(hash: Hex): Promise<UserOperationReceipt | null>
  getSupportedEntryPoints(): Promise<readonly Address[]>
}

/** Client for node and bundler methods of one URL. */
export type BundlerClient = Client<Transport, Chain, undefined, undefined, ReadActions & BundlerActions>

/** Account in the form of viem's client types, which identify a plain key by `source` and `signTransaction`. */
export type ClientAccount = Omit<LatchkeyAccount, 'source' | 'signTransaction'>

export type SmartAccountClient<
  account extends LatchkeyAccount = LatchkeyAccount,
  more = unknown,
  chain extends Chain = Chain,
> = Client<
  Transport,
  chain,
  ClientAccount,
  undefined,
  ReadActions & BundlerActions & SmartAccountActions & { smartAccount: account } & more
>
