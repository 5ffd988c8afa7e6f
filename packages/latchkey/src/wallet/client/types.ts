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

/** How the JSON-RPC service is reached: `apiKey`; or `jwt`; or `rpcUrl`, with or without `jwt`. */
export type Connection = {
  /** Used as it is; wins over the chain's own URL. */
  rpcUrl?: string | undefined
  /** Last part of the URL's path. */
  apiKey?: string | undefined
  /** Sent as `Authorization: Bearer`. */
  jwt?: string | undefined
  /**
   * One ERC-4337 bundler or several, for the methods of ERC-7769: where the first cannot be reached the next one gets the
   * same bytes. They get neither API key nor JWT, and their receipts are held against the node's.
   * @default the service of `rpcUrl` or `apiKey`
   */
  bundlerUrl?: string | readonly string[] | undefined
  /** Whether the service is Latchkey's own gateway. @default what the chain says; else a first sponsored operation shows it */
  gateway?: boolean | undefined
}

/** What is needed of a client to make a JSON-RPC call. */
export type RpcClient = Pick<Client, 'request'> & { chain?: Chain | undefined }

export type ClientOptions = {
  feeOptions?: FeeOptions | undefined
  /** How far services are believed about the costs of operations that the account pays for. */
  costCaps?: CostCaps | undefined
  /**
   * How often the receipt is requested.
   * @default 5
   */
  txMaxRetries?: number | undefined
  /**
   * Wait before the first of these requests, in milliseconds.
   * @default 2000
   */
  txRetryIntervalMs?: number | undefined
  /**
   * Factor on the wait before each further one.
   * @default 1.5
   */
  txRetryMultiplier?: number | undefined
  /**
   * How often the EntryPoint's event is looked for meanwhile, in milliseconds; 0 never.
   * @default the chain's block time, at least 100 and at most 1000
   */
  txWatchIntervalMs?: number | undefined
  /**
   * Blocks on top of the one that shows that an operation failed, before the outbox says so.
   * @default 3
   */
  outboxConfirmations?: number | undefined
}

export type CostCaps = {
  /**
   * Most that a reported priority fee may be: this many times the base fee of the latest block, or 1 gwei where that is more.
   * @default 10
   */
  feeFactor?: number | undefined
  /**
   * Most that `preVerificationGas`, which is always paid in full, may be: this many times what the operation's own bytes
   * cost on an L1. On an L2 it holds the price of the L1's data, too.
   * @default 100
   */
  gasFactor?: number | undefined
}

/** As the client's `txMaxRetries`, `txRetryIntervalMs` and `txRetryMultiplier`, for one wait. */
export type WaitRetries = {
  maxRetries?: number | undefined
  intervalMs?: number | undefined
  multiplier?: number | undefined
}

export type WaitParameters = {
  /** Of the user operation. */
  hash: Hex
  retries?: WaitRetries | undefined
  /** Ends the wait, and requests that are under way. */
  signal?: AbortSignal | undefined
  /** The operation as it was sent: a wait that fails then carries it (`WaitForUserOperationError`). */
  request?: UserOperationRequest | undefined
}

/** What the parts of sending took, in milliseconds. */
export type SendTimings = {
  /** Nonce, fees, gas, sponsorship. */
  prepareMs: number
  signMs: number
  sendMs: number
}

export type SendUserOperationParameters<uo = AnyUserOperationInput> = {
  /** Calls by `target` and `data`, or by `target`, `abi`, `functionName` and `args`; or the account's own call data. */
  uo: CheckedUserOperationInput<uo>
  overrides?: UserOperationOverrides | undefined
  /** Passed to every middleware. */
  context?: unknown
}

/** A transaction as apps and wallets write them: quantities as bigint or hex. */
export type TransactionInput = {
  /** The account itself, where it is named. */
  from?: Address | undefined
  to?: Address | null | undefined
  /** @default '0x' */
  data?: Hex | undefined
  /**
   * Wei.
   * @default 0n
   */
  value?: bigint | Hex | undefined
  /** Wei a gas. */
  maxFeePerGas?: bigint | Hex | undefined
  /** Wei a gas. */
  maxPriorityFeePerGas?: bigint | Hex | undefined
}

export type TransactionsParameters = Pick<SendUserOperationParameters, 'overrides' | 'context'> & {
  requests: readonly TransactionInput[]
  /** Ends the wait for a block. What was sent stays sent. */
  signal?: AbortSignal | undefined
}

/** `overrides`: those given, with the largest fees the transactions name. */
export type TransactionsResult = {
  uoStruct: UserOperationStruct
  batch: CallInput[]
  overrides: UserOperationOverrides
}

export type ReplaceParameters = Pick<SendUserOperationParameters, 'overrides' | 'context'> & {
  /** The operation as it was sent: `request` of `sendUserOperation`. */
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
  /** Zero address when the account paid. */
  paymaster?: Address | undefined
  success: boolean
  /** Revert data or text, as the bundler gives it. */
  reason?: string | undefined
  /** Wei. */
  actualGasCost: bigint
  actualGasUsed: bigint
  receipt: { transactionHash: Hex; blockNumber: bigint }
}

export type SentUserOperation = {
  userOperation: UserOperationRequest
  entryPoint: Address
  /** Null while it is not in a block, as the two below. */
  transactionHash: Hex | null
  blockHash: Hex | null
  blockNumber: bigint | null
}

/** Signs typed data (EIP-712). The message is checked against `types` and `primaryType` by the compiler. */
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
  /** Resolves with the hash of the transaction, once it is in a block. */
  sendTransaction(transaction: TransactionInput, overrides?: UserOperationOverrides, context?: unknown): Promise<Hex>
  /** As `sendTransaction`, several in one operation. */
  sendTransactions(parameters: TransactionsParameters): Promise<Hex>
  dropAndReplaceUserOperation(parameters: ReplaceParameters): Promise<SendUserOperationResult>
  simulateUserOperation<const uo>(parameters: SendUserOperationParameters<uo>): Promise<SimulateAssetChangesResult>
  /** Gas limits by the bundler, without a paymaster, as the bundler reports them. */
  estimateUserOperationGas<const uo>(parameters: SendUserOperationParameters<uo>): Promise<GasEstimate>
  /** Resolves with the hash of the operation; with `waitForTx`, of the transaction. */
  upgradeAccount(parameters: upgradeAccount.Parameters): Promise<upgradeAccount.ReturnType>
  checkGasSponsorshipEligibility<const uo>(parameters: SendUserOperationParameters<uo>): Promise<boolean>
  /** Resolves with the hash of the transaction that included the operation. */
  waitForUserOperationTransaction(parameters: WaitParameters): Promise<Hex>
  /** What this browser keeps of the account's operations, newest first. */
  listOperations(): Promise<readonly OperationRecord[]>
  /** Calls back now and after each change. Returns a function that ends it. */
  watchOperations(parameters: WatchOperationsParameters): () => void
  watchOperation(parameters: WatchOperationParameters): () => void
  /** Removes one that is not under way. */
  dismissOperation(parameters: { id: string }): Promise<void>
  /** Sends again what is signed, the same bytes, and follows it to its end. */
  resumeOperations(): Promise<void>
  signMessage(parameters: { message: SignableMessage }): Promise<Hex>
  signTypedData: SignTypedData
  signMessageWith6492(parameters: { message: SignableMessage }): Promise<Hex>
  signTypedDataWith6492: SignTypedData
}

export type BundlerActions = {
  /** Null where the bundler does not know it. */
  getUserOperationByHash(hash: Hex): Promise<SentUserOperation | null>
  /** Null while the operation is not in a block. */
  getUserOperationReceipt(hash: Hex): Promise<UserOperationReceipt | null>
  getSupportedEntryPoints(): Promise<readonly Address[]>
}

/** Node and bundler methods over one URL. */
export type BundlerClient = Client<Transport, Chain, undefined, undefined, ReadActions & BundlerActions>

/** An account as viem's client types take it: there, `source` and `signTransaction` are marks of a plain key. */
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
