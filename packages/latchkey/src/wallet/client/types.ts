import type { Address, Chain, Client, Hex, SignableMessage, Transport, TypedDataDefinition } from 'viem'
import type { GasField, OperationOverrides } from '../../accounts/actions/OperationClient.ts'
import type { LatchkeyAccount } from '../../accounts/types.ts'
import type { SimulateAssetChangesResult } from '../../wire/gateway.ts'
import type { buildUserOperationFromTxs } from './actions/buildUserOperationFromTxs.ts'
import type { dropAndReplaceUserOperation } from './actions/dropAndReplaceUserOperation.ts'
import type { ReadActions } from './actions/readActions.ts'

/** How the JSON-RPC service is reached: `apiKey`; or `jwt`; or `rpcUrl`, with or without `jwt`. */
export type Connection = {
  /** Used as it is; wins over the chain's own URL. */
  rpcUrl?: string | undefined
  /** Last part of the URL's path. */
  apiKey?: string | undefined
  /** Sent as `Authorization: Bearer`. */
  jwt?: string | undefined
}

export type CallInput = { target: Address; data: Hex; value?: bigint | undefined }

/** One call, several in one operation, or call data for the account as it is. */
export type UserOperationInput = CallInput | readonly CallInput[] | Hex

/** A user operation before it travels. Members of EntryPoint 0.6 and of 0.7 exclude each other. */
export type UserOperationStruct = {
  sender: Address
  nonce: bigint
  callData: Hex
  signature: Hex
  callGasLimit?: bigint
  verificationGasLimit?: bigint
  preVerificationGas?: bigint
  /** Wei a gas. */
  maxFeePerGas?: bigint
  /** Wei a gas. */
  maxPriorityFeePerGas?: bigint
  /** 0.6 */
  initCode?: Hex
  /** 0.6 */
  paymasterAndData?: Hex
  /** 0.7 */
  factory?: Address
  factoryData?: Hex
  paymaster?: Address
  paymasterData?: Hex
  paymasterVerificationGasLimit?: bigint
  paymasterPostOpGasLimit?: bigint
}

/** A user operation as it travels: quantities in minimal hex. */
export type UserOperationRequest = {
  [name in keyof UserOperationStruct]: NonNullable<UserOperationStruct[name]> extends bigint
    ? Hex
    : UserOperationStruct[name]
}

export type UserOperationOverrides = OperationOverrides

export type FeeOption = { min?: bigint | undefined; max?: bigint | undefined; multiplier?: number | undefined }

export type FeeOptions = { [field in GasField]?: FeeOption | undefined }

/** A user operation some of whose values are still on their way. */
export type UserOperationDraft = {
  [name in keyof UserOperationStruct]?:
    | UserOperationStruct[name]
    | Promise<UserOperationStruct[name] | undefined>
    | undefined
}

export type MiddlewareContext = {
  account: LatchkeyAccount
  client: MiddlewareClient
  overrides: UserOperationOverrides
  feeOptions: FeeOptions
  /** Whatever the caller passed as `context`. */
  context: unknown
}

/** What is needed of a client to make a JSON-RPC call. */
export type RpcClient = Pick<Client, 'request'>

/** The client a middleware is given: a viem client with a chain. */
export type MiddlewareClient = Client<Transport, Chain, ClientAccount>

/** One step of the stack. Returns a new draft; never changes the one it was given. */
export type Middleware = (draft: UserOperationDraft, context: MiddlewareContext) => Promise<UserOperationDraft>

export type GasManagerConfig = {
  policyId: string
  /** Paymaster of the dummy data. Default: the chain's. */
  paymasterAddress?: Address | undefined
  /** What follows the paymaster in the dummy data. */
  dummyData?: Hex | undefined
  gasEstimationOptions?:
    | {
        /** Estimate fees and gas here, and ask the gas manager for the paymaster's part only. */
        disableGasEstimation?: boolean | undefined
        fallbackFeeDataGetter?: Middleware | undefined
        fallbackGasEstimator?: Middleware | undefined
      }
    | undefined
}

export type ClientOptions = {
  feeOptions?: FeeOptions | undefined
  /** How often the receipt is asked for. Default 5. */
  txMaxRetries?: number | undefined
  /** Wait before the first of these, in milliseconds. Default 2000. */
  txRetryIntervalMs?: number | undefined
  /** Factor on the wait before each further one. Default 1.5. */
  txRetryMultiplier?: number | undefined
  /**
   * How often the EntryPoint's event is looked for meanwhile, in milliseconds; 0 never.
   * Default: the chain's block time, at least 100 and at most 1000.
   */
  txWatchIntervalMs?: number | undefined
}

/** Replaceable steps; what is absent has its default. */
export type MiddlewareConfig = {
  gasManagerConfig?: GasManagerConfig | undefined
  /** Ask the provider what the operation would change before it is signed. */
  useSimulation?: boolean | undefined
  feeEstimator?: Middleware | undefined
  gasEstimator?: Middleware | undefined
  customMiddleware?: Middleware | undefined
  /** A paymaster of one's own. Ignored when `gasManagerConfig` is given. */
  paymasterAndData?: { dummyPaymasterAndData: Middleware; paymasterAndData: Middleware } | undefined
  userOperationSimulator?: Middleware | undefined
  signUserOperation?: Middleware | undefined
}

/** What the parts of sending took, in milliseconds. */
export type SendTimings = {
  /** Nonce, fees, gas, sponsorship. */
  prepareMs: number
  signMs: number
  sendMs: number
}

export type SendUserOperationParameters = {
  uo: UserOperationInput
  overrides?: UserOperationOverrides | undefined
  /** Handed to every middleware. */
  context?: unknown
}

/** A transaction as apps and wallets write them: quantities as bigint or hex. */
export type TransactionInput = {
  /** The account itself, where it is named. */
  from?: Address | undefined
  to?: Address | null | undefined
  /** Default empty. */
  data?: Hex | undefined
  /** Wei. Default 0. */
  value?: bigint | Hex | undefined
  /** Wei a gas. */
  maxFeePerGas?: bigint | Hex | undefined
  /** Wei a gas. */
  maxPriorityFeePerGas?: bigint | Hex | undefined
}

export type TransactionsParameters = Pick<SendUserOperationParameters, 'overrides' | 'context'> & {
  requests: readonly TransactionInput[]
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

export type SmartAccountActions = {
  getAddress(): Promise<Address>
  buildUserOperation(parameters: SendUserOperationParameters): Promise<UserOperationStruct>
  buildUserOperationFromTx(
    transaction: TransactionInput,
    overrides?: UserOperationOverrides,
    context?: unknown,
  ): Promise<UserOperationStruct>
  buildUserOperationFromTxs(parameters: TransactionsParameters): Promise<buildUserOperationFromTxs.ReturnType>
  signUserOperation(parameters: { uoStruct: UserOperationStruct; context?: unknown }): Promise<UserOperationRequest>
  sendUserOperation(parameters: SendUserOperationParameters): Promise<SendUserOperationResult>
  /** Resolves with the hash of the transaction, once it is in a block. */
  sendTransaction(transaction: TransactionInput, overrides?: UserOperationOverrides, context?: unknown): Promise<Hex>
  /** As `sendTransaction`, several in one operation. */
  sendTransactions(parameters: TransactionsParameters): Promise<Hex>
  dropAndReplaceUserOperation(parameters: dropAndReplaceUserOperation.Parameters): Promise<SendUserOperationResult>
  simulateUserOperation(parameters: SendUserOperationParameters): Promise<SimulateAssetChangesResult>
  checkGasSponsorshipEligibility(parameters: SendUserOperationParameters): Promise<boolean>
  /** Resolves with the hash of the transaction that included the operation. */
  waitForUserOperationTransaction(parameters: { hash: Hex; retries?: WaitRetries | undefined }): Promise<Hex>
  signMessage(parameters: { message: SignableMessage }): Promise<Hex>
  signTypedData(parameters: { typedData: TypedDataDefinition }): Promise<Hex>
  signMessageWith6492(parameters: { message: SignableMessage }): Promise<Hex>
  signTypedDataWith6492(parameters: { typedData: TypedDataDefinition }): Promise<Hex>
}

export type WaitRetries = {
  maxRetries?: number | undefined
  intervalMs?: number | undefined
  multiplier?: number | undefined
}

export type BundlerActions = {
  /** Null while the operation is not in a block. */
  getUserOperationReceipt(hash: Hex): Promise<UserOperationReceipt | null>
  getSupportedEntryPoints(): Promise<readonly Address[]>
}

/** Node and bundler methods over one URL. */
export type BundlerClient = Client<Transport, Chain, undefined, undefined, ReadActions & BundlerActions>

/** An account as viem's client types take it: there, `source` and `signTransaction` are marks of a plain key. */
export type ClientAccount = Omit<LatchkeyAccount, 'source' | 'signTransaction'>

export type SmartAccountClient<account extends LatchkeyAccount = LatchkeyAccount, more = unknown> = Client<
  Transport,
  Chain,
  ClientAccount,
  undefined,
  ReadActions & BundlerActions & SmartAccountActions & { smartAccount: account } & more
>
