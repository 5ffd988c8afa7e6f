/** JSON-RPC methods that the gateway handles itself. All quantities are minimal hex. */
type Hex = `0x${string}`

export const gatewayMethods = {
  maxPriorityFeePerGas: 'rundler_maxPriorityFeePerGas',
  /** Alias of `maxPriorityFeePerGas` under the name that ordinary clients use. */
  nodeMaxPriorityFeePerGas: 'eth_maxPriorityFeePerGas',
  /** Latchkey's own: prepares a whole operation except its signature, in one request. */
  prepareUserOperation: 'latchkey_prepareUserOperation',
  /** ERC-7677. */
  getPaymasterStubData: 'pm_getPaymasterStubData',
  getPaymasterData: 'pm_getPaymasterData',
  /** Other services' methods for fees, and for an operation's gas and paymaster. */
  gasPrice: 'pimlico_getUserOperationGasPrice',
  sponsorUserOperation: 'pm_sponsorUserOperation',
  requestGasAndPaymasterAndData: 'alchemy_requestGasAndPaymasterAndData',
  requestPaymasterAndData: 'alchemy_requestPaymasterAndData',
  simulateUserOperationAssetChanges: 'alchemy_simulateUserOperationAssetChanges',
  waitForUserOperation: 'latchkey_waitForUserOperation',
} as const

/** A user operation of EntryPoint 0.6 in JSON-RPC form; gas fields are absent before estimation. */
export type UserOperationRequest06 = {
  sender: Hex
  nonce: Hex
  initCode: Hex
  callData: Hex
  paymasterAndData: Hex
  signature: Hex
  callGasLimit?: Hex
  verificationGasLimit?: Hex
  preVerificationGas?: Hex
  maxFeePerGas?: Hex
  maxPriorityFeePerGas?: Hex
}

/** A user operation of EntryPoint 0.7 in JSON-RPC form; factory and paymaster fields are present only when used. */
export type UserOperationRequest07 = {
  sender: Hex
  nonce: Hex
  factory?: Hex
  factoryData?: Hex
  callData: Hex
  signature: Hex
  callGasLimit?: Hex
  verificationGasLimit?: Hex
  preVerificationGas?: Hex
  maxFeePerGas?: Hex
  maxPriorityFeePerGas?: Hex
  paymaster?: Hex
  paymasterData?: Hex
  paymasterVerificationGasLimit?: Hex
  paymasterPostOpGasLimit?: Hex
}

/** Absolute value as hex, or a factor of at most four decimals on the server's estimate. */
export type GasOverride = Hex | { multiplier: number }

export type GasOverrides = {
  maxFeePerGas?: GasOverride
  maxPriorityFeePerGas?: GasOverride
  callGasLimit?: GasOverride
  verificationGasLimit?: GasOverride
  preVerificationGas?: GasOverride
  paymasterVerificationGasLimit?: GasOverride
  paymasterPostOpGasLimit?: GasOverride
}

/** One or more policies: the gateway uses the first that allows the operation. */
export type PolicyIds = string | readonly string[]

export type RequestGasAndPaymasterAndDataParameters = {
  policyId: PolicyIds
  entryPoint: Hex
  userOperation: UserOperationRequest06 | UserOperationRequest07
  dummySignature: Hex
  overrides?: GasOverrides
}

export type RequestGasAndPaymasterAndDataResult06 = {
  paymasterAndData: Hex
  callGasLimit: Hex
  verificationGasLimit: Hex
  preVerificationGas: Hex
  maxFeePerGas: Hex
  maxPriorityFeePerGas: Hex
}

export type RequestGasAndPaymasterAndDataResult07 = RequestPaymasterAndDataResult07 & {
  callGasLimit: Hex
  verificationGasLimit: Hex
  preVerificationGas: Hex
  maxFeePerGas: Hex
  maxPriorityFeePerGas: Hex
}

export type RequestPaymasterAndDataParameters = {
  policyId: PolicyIds
  entryPoint: Hex
  /** Must include the gas and fee fields. */
  userOperation: UserOperationRequest06 | UserOperationRequest07
}

export type RequestPaymasterAndDataResult06 = { paymasterAndData: Hex }

/** The paymaster signed for the two gas limits: those of the request, or the gateway's own if the request has none. */
export type RequestPaymasterAndDataResult07 = {
  paymaster: Hex
  paymasterData: Hex
  paymasterVerificationGasLimit: Hex
  paymasterPostOpGasLimit: Hex
}

/** `pm_getPaymasterStubData`, `pm_getPaymasterData` (ERC-7677). */
export type PaymasterDataParameters = [
  userOperation: Partial<UserOperationRequest06> | Partial<UserOperationRequest07>,
  entryPoint: Hex,
  chainId: Hex,
  /** Without `policyId`, the project's default policy applies. */
  context?: { policyId?: PolicyIds } | null,
]

/** Paymaster fields of EntryPoint 0.6 or 0.7. Stub values have the form and length of real ones, without a signature. */
export type PaymasterDataResult = RequestPaymasterAndDataResult06 | RequestPaymasterAndDataResult07

/**
 * Parameters of `latchkey_prepareUserOperation`. `initCode`, or `factory` and `factoryData`, deploy the account. They
 * may always be sent; the result omits them if the account is already deployed.
 */
export type PrepareUserOperationParameters = {
  entryPoint: Hex
  /** @default the project's default policy */
  policyId?: PolicyIds
  /**
   * Whether a policy must pay. With `false` the account pays, and no policy is evaluated.
   *
   * @default true if a policy id is given or the project has a default policy; otherwise false
   */
  sponsored?: boolean
  userOperation: {
    sender: Hex
    callData: Hex
    /** EntryPoint 0.6: factory ‖ calldata. */
    initCode?: Hex
    /** EntryPoint 0.7. */
    factory?: Hex
    factoryData?: Hex
    /** @default the account's next nonce for `nonceKey` */
    nonce?: Hex
  }
  /** Nonce key of 192 bits: operations with different keys do not wait for each other. @default '0x0' */
  nonceKey?: Hex
  /** Dummy with the form and length of the account's signature, for the estimate. */
  dummySignature: Hex
  overrides?: GasOverrides
}

/**
 * Operation that is ready to sign, with the fields the paymaster signed for. If the account pays, there is no
 * `paymaster`, and EntryPoint 0.6's `paymasterAndData` is empty.
 */
export type PrepareUserOperationResult = {
  userOperation: Omit<Required<UserOperationRequest06>, 'signature'> | PreparedUserOperation07
}

type OptionalField07 = 'signature' | 'factory' | 'factoryData' | keyof RequestPaymasterAndDataResult07

export type PreparedUserOperation07 = Omit<Required<UserOperationRequest07>, OptionalField07> &
  Partial<RequestPaymasterAndDataResult07> & {
    factory?: Hex
    factoryData?: Hex
  }

/** One transfer or allowance that the operation causes, in order. */
export type AssetChange = {
  assetType: 'NATIVE' | 'ERC20' | 'ERC721' | 'ERC1155' | 'SPECIAL_NFT'
  changeType: 'APPROVE' | 'TRANSFER'
  from: Hex
  to: Hex
  /** In the asset's smallest unit, decimal. */
  rawAmount?: string
  /** In whole units, decimal. */
  amount?: string
  /** null for the chain's own coin. */
  contractAddress: Hex | null
  /** Decimal; null if all assets of the contract are interchangeable. */
  tokenId: string | null
  decimals: number
  symbol: string
  name?: string
  logo?: string
}

export type SimulateAssetChangesParameters = [
  userOperation: UserOperationRequest06 | UserOperationRequest07,
  entryPoint: Hex,
]

/** If `error` is set, the operation would fail and change nothing. */
export type SimulateAssetChangesResult = { changes: AssetChange[]; error?: { message: string } }

/**
 * Progress of an operation: `prepared` or `signed` by the gateway, `sent` to a bundler that has not responded yet,
 * `seen` by the bundler, `included` in a block, `replaced` by another operation with the same nonce, `dropped` if it
 * can no longer be included, or `failed` if the bundler refused it.
 */
export type OperationState = 'prepared' | 'signed' | 'sent' | 'seen' | 'included' | 'replaced' | 'dropped' | 'failed'

export type WaitForUserOperationParameters = [
  userOpHash: Hex,
  options?: {
    /** @default 30000, the maximum */
    timeoutMs?: number
  },
]

/** `receipt` is set if the operation is included. After a timeout, `state` is the operation's current progress. */
export type WaitForUserOperationResult = {
  userOpHash: Hex
  state: OperationState
  /** Whether enough blocks are on top of the operation's block for it to be final. */
  confirmed: boolean
  receipt: UserOperationReceipt | null
  /** Hash of the operation that used the same nonce. */
  replacedBy?: Hex
  /** Reason why the operation was dropped or refused. */
  failure?: string
}

/** Data of an event of `GET /v2/operations/events`: a change of one of the project's operations. */
export type OperationEvent = {
  userOpHash: Hex
  chainId: Hex
  entryPoint: Hex
  sender: Hex
  nonce: Hex
  policyId: string | null
  state: OperationState
  confirmed: boolean
  /** ISO 8601. */
  at: string
  /** Block that included the operation or its replacement. */
  blockNumber: Hex | null
  blockHash: Hex | null
  transactionHash: Hex | null
  success: boolean | null
  /** Wei. */
  actualGasCost: Hex | null
  replacedBy: Hex | null
  failure: string | null
}

/** Result of `eth_getUserOperationReceipt` (ERC-7769). */
export type UserOperationReceipt = {
  userOpHash: Hex
  entryPoint: Hex
  sender: Hex
  nonce: Hex
  /** Zero address if the account paid. */
  paymaster: Hex
  /** Wei that the account or the paymaster paid. */
  actualGasCost: Hex
  actualGasUsed: Hex
  success: boolean
  /** Return data of a call that reverted. */
  reason?: Hex
  /** Logs of this operation only. */
  logs: readonly unknown[]
  /** Receipt of the whole transaction, as the node returns it. */
  receipt: unknown
}
