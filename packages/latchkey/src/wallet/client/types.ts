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
  /** URL to use unchanged; takes precedence over the chain's own URL. */
  rpcUrl?: string | undefined
  /** Last part of the URL's path. */
  apiKey?: string | undefined
  /** Sent as `Authorization: Bearer`. */
  jwt?: string | undefined
  /**
   * One or more ERC-4337 bundlers for the methods of ERC-7769: if the first is unreachable, the next one gets the same
   * bytes. They receive neither API key nor JWT, and their receipts are checked against the node.
   * @default service of `rpcUrl` or `apiKey`
   */
  bundlerUrl?: string | readonly string[] | undefined
  /**
   * Whether the service is Latchkey's own gateway. @default the chain's setting, or detected by the first sponsored
   * operation
   */
  gateway?: boolean | undefined
}

/** Part of a client needed to make a JSON-RPC call. */
export type RpcClient = Pick<Client, 'request'> & { chain?: Chain | undefined }

export type ClientOptions = {
  feeOptions?: FeeOptions | undefined
  /** Limits on the costs reported by services for operations that the account pays for. */
  costCaps?: CostCaps | undefined
  /**
   * Number of requests for the receipt.
   * @default 5
   */
  txMaxRetries?: number | undefined
  /**
   * Wait before the first request for the receipt, in milliseconds.
   * @default 2000
   */
  txRetryIntervalMs?: number | undefined
  /**
   * Factor by which the wait grows before each further request.
   * @default 1.5
   */
  txRetryMultiplier?: number | undefined
  /**
   * Poll interval for the EntryPoint's event, in milliseconds; 0 disables it.
   * @default chain's block time, at least 100 and at most 1000
   */
  txWatchIntervalMs?: number | undefined
  /**
   * Number of blocks required on top of the block that proves a failure, before the outbox reports the failure.
   * @default 3
   */
  outboxConfirmations?: number | undefined
}

export type CostCaps = {
  /**
   * Maximum of a reported priority fee, as a multiple of the latest block's base fee, or 1 gwei if that is more.
   * @default 10
   */
  feeFactor?: number | undefined
  /**
   * Maximum of `preVerificationGas`, which is always paid in full, as a multiple of the L1 cost of the operation's own
   * bytes. On an L2, `preVerificationGas` includes the price of the L1 data.
   * @default 100
   */
  gasFactor?: number | undefined
}

/** The client's `txMaxRetries`, `txRetryIntervalMs` and `txRetryMultiplier`, for one wait. */
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
  /** Operation as sent: included in the error of a failed wait (`WaitForUserOperationError`). */
  request?: UserOperationRequest | undefined
}

/** Durations of the parts of sending, in milliseconds. */
export type SendTimings = {
  /** Time to determine nonce, fees, gas and sponsorship. */
  prepareMs: number
  signMs: number
  sendMs: number
}

export type SendUserOperationParameters<uo = AnyUserOperationInput> = {
  /**
   * Calls with `target` and `data`, or with `target`, `abi`, `functionName` and `args`; or the account's own call data.
   */
  uo: CheckedUserOperationInput<uo>
  overrides?: UserOperationOverrides | undefined
  /** Passed to every middleware. */
  context?: unknown
}

/** Transaction in the form of apps and wallets: quantities as bigint or hex. */
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
  /** Ends the wait for a block. An operation that was already sent is not cancelled. */
  signal?: AbortSignal | undefined
}

/** `overrides`: the given overrides, with the largest fees of the transactions. */
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
  /** Revert data or text from the bundler. */
  reason?: string | undefined
  /** Cost in wei. */
  actualGasCost: bigint
  actualGasUsed: bigint
  receipt: { transactionHash: Hex; blockNumber: bigint }
}

export type SentUserOperation = {
  userOperation: UserOperationRequest
  entryPoint: Address
  /** Null while the operation is not in a block, like the next two members. */
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
  /** Sends a transaction. Resolves with its hash once it is in a block. */
  sendTransaction(transaction: TransactionInput, overrides?: UserOperationOverrides, context?: unknown): Promise<Hex>
  /** Sends several transactions in one operation, like `sendTransaction`. */
  sendTransactions(parameters: TransactionsParameters): Promise<Hex>
  dropAndReplaceUserOperation(parameters: ReplaceParameters): Promise<SendUserOperationResult>
  simulateUserOperation<const uo>(parameters: SendUserOperationParameters<uo>): Promise<SimulateAssetChangesResult>
  /** Returns the bundler's estimate of gas limits, without a paymaster. */
  estimateUserOperationGas<const uo>(parameters: SendUserOperationParameters<uo>): Promise<GasEstimate>
  /**
   * Upgrades the account. Resolves with the hash of the operation, or with the hash of the transaction if `waitForTx`
   * is set.
   */
  upgradeAccount(parameters: upgradeAccount.Parameters): Promise<upgradeAccount.ReturnType>
  checkGasSponsorshipEligibility<const uo>(parameters: SendUserOperationParameters<uo>): Promise<boolean>
  /** Resolves with the hash of the transaction that included the operation. */
  waitForUserOperationTransaction(parameters: WaitParameters): Promise<Hex>
  /** Lists this browser's records of the account's operations, newest first. */
  listOperations(): Promise<readonly OperationRecord[]>
  /** Calls back now and after each change. Returns an unsubscribe function. */
  watchOperations(parameters: WatchOperationsParameters): () => void
  watchOperation(parameters: WatchOperationParameters): () => void
  /** Removes a record that is not in progress. */
  dismissOperation(parameters: { id: string }): Promise<void>
  /** Resends signed operations byte by byte unchanged, and tracks each until its outcome is known. */
  resumeOperations(): Promise<void>
  signMessage(parameters: { message: SignableMessage }): Promise<Hex>
  signTypedData: SignTypedData
  signMessageWith6492(parameters: { message: SignableMessage }): Promise<Hex>
  signTypedDataWith6492: SignTypedData
}

export type BundlerActions = {
  /** Returns a sent operation; null if unknown to the bundler. */
  getUserOperationByHash(hash: Hex): Promise<SentUserOperation | null>
  /** Returns the receipt; null while the operation is not in a block. */
  getUserOperationReceipt(hash: Hex): Promise<UserOperationReceipt | null>
  getSupportedEntryPoints(): Promise<readonly Address[]>
}

/** Client of node and bundler methods over one URL. */
export type BundlerClient = Client<Transport, Chain, undefined, undefined, ReadActions & BundlerActions>

/** Account in the form of viem's client types, in which `source` and `signTransaction` identify a plain key. */
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
