/** JSON-RPC methods the gateway answers itself. All quantities are minimal hex. */
type Hex = `0x${string}`

export const gatewayMethods = {
  maxPriorityFeePerGas: 'rundler_maxPriorityFeePerGas',
  requestGasAndPaymasterAndData: 'alchemy_requestGasAndPaymasterAndData',
  requestPaymasterAndData: 'alchemy_requestPaymasterAndData',
  simulateUserOperationAssetChanges: 'alchemy_simulateUserOperationAssetChanges',
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

export type RequestGasAndPaymasterAndDataParameters = {
  policyId: string
  entryPoint: Hex
  userOperation: UserOperationRequest06
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
