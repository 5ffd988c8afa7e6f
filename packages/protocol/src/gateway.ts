/** JSON-RPC methods that the gateway handles itself. All quantities are minimal hex. */
type Hex = `0x${string}`

export const gatewayMethods = {
  maxPriorityFeePerGas: 'rundler_maxPriorityFeePerGas',
  /** The same by the name ordinary clients use. */
  nodeMaxPriorityFeePerGas: 'eth_maxPriorityFeePerGas',
  /** Our own: everything of an operation but its signature, in one request. */
  prepareUserOperation: 'latchkey_prepareUserOperation',
  /** ERC-7677. */
  getPaymasterStubData: 'pm_getPaymasterStubData',
  getPaymasterData: 'pm_getPaymasterData',
  requestGasAndPaymasterAndData: 'alchemy_requestGasAndPaymasterAndData',
  requestPaymasterAndData: 'alchemy_requestPaymasterAndData',
  simulateUserOperationAssetChanges: 'alchemy_simulateUserOperationAssetChanges',
  waitForUserOperation: 'latchkey_waitForUserOperation',
} as const

/** A user operation of EntryPoint 0.6 as it travels; gas fields absent before estimation. */
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

/** A user operation of EntryPoint 0.7 as it travels; factory and paymaster fields only when used. */
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

/** A policy, or several of which the first that allows the operation counts. */
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
  /** With its gas and fee fields. */
  userOperation: UserOperationRequest06 | UserOperationRequest07
}

export type RequestPaymasterAndDataResult06 = { paymasterAndData: Hex }

/** The two limits are what the paymaster signed for: those of the request, or the gateway's where it had none. */
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
  /** Without a policy the project's default one counts. */
  context?: { policyId?: PolicyIds } | null,
]

/** Paymaster fields of EntryPoint 0.6 or 0.7. Stub values have the form and length of real ones, without a signature. */
export type PaymasterDataResult = RequestPaymasterAndDataResult06 | RequestPaymasterAndDataResult07

/**
 * `latchkey_prepareUserOperation`. The account is made by the operation while it is not deployed: `initCode`, or `factory`
 * and `factoryData`, may always be sent, and are left out of the result once it is.
 */
export type PrepareUserOperationParameters = {
  entryPoint: Hex
  /** @default the project's default policy */
  policyId?: PolicyIds
  /**
   * Whether a policy must pay. With `false` the account pays, and no policy is asked.
   *
   * @default a policy pays when one is named, or the project has a default one; else the account
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
    /** @default the account's next one of `nonceKey` */
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
  /** Decimal; null where every asset of the contract is the same. */
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

/** With an `error` the operation would fail: nothing would change. */
export type SimulateAssetChangesResult = { changes: AssetChange[]; error?: { message: string } }

/**
 * Progress of an operation: `prepared` and `signed` here, `sent` to a bundler that has not responded yet, `seen` by it,
 * `included` in a block, `replaced` by another operation of the same nonce, `dropped` when it can no longer be included,
 * `failed` when the bundler refused it.
 */
export type OperationState = 'prepared' | 'signed' | 'sent' | 'seen' | 'included' | 'replaced' | 'dropped' | 'failed'

export type WaitForUserOperationParameters = [
  userOpHash: Hex,
  options?: {
    /** @default 30000, which is the most */
    timeoutMs?: number
  },
]

/** `receipt` where the operation is included; a state before its end when the time was over. */
export type WaitForUserOperationResult = {
  userOpHash: Hex
  state: OperationState
  /** So many blocks are on top of its block that it stays. */
  confirmed: boolean
  receipt: UserOperationReceipt | null
  /** The operation that took its nonce. */
  replacedBy?: Hex
  /** Why it was dropped or refused. */
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
  /** Block of its inclusion, or of the operation that replaced it. */
  blockNumber: Hex | null
  blockHash: Hex | null
  transactionHash: Hex | null
  success: boolean | null
  /** Wei. */
  actualGasCost: Hex | null
  replacedBy: Hex | null
  failure: string | null
}

/** `eth_getUserOperationReceipt` of ERC-7769. */
export type UserOperationReceipt = {
  userOpHash: Hex
  entryPoint: Hex
  sender: Hex
  nonce: Hex
  /** The zero address: the account paid itself. */
  paymaster: Hex
  /** Wei that the account or the paymaster paid. */
  actualGasCost: Hex
  actualGasUsed: Hex
  success: boolean
  /** Return data of a call that reverted. */
  reason?: Hex
  /** Those of this operation. */
  logs: readonly unknown[]
  /** Receipt of the whole transaction, as the node returns it. */
  receipt: unknown
}
