import type {
  Abi,
  AbiStateMutability,
  Address,
  ContractFunctionArgs,
  ContractFunctionName,
  ContractFunctionParameters,
  Hex,
} from 'viem'
import type { GasField, OperationOverrides } from '../../accounts/actions/OperationClient.ts'
import type { Eip7702Authorization } from '../../accounts/types.ts'

// A user operation is first a draft, then settled, complete and signed. It is sent as a request.

export type CallInput = { target: Address; data: Hex; value?: bigint | undefined }

/** One call, several calls, or the account's own call data. */
export type UserOperationInput = CallInput | readonly CallInput[] | Hex

/** Contract function and arguments, which are encoded to the call's `data`. */
export type FunctionInput<
  abi extends Abi | readonly unknown[] = Abi,
  name extends ContractFunctionName<abi, AbiStateMutability> = ContractFunctionName<abi, AbiStateMutability>,
  args extends ContractFunctionArgs<abi, AbiStateMutability, name> = ContractFunctionArgs<
    abi,
    AbiStateMutability,
    name
  >,
> = Omit<ContractFunctionParameters<abi, AbiStateMutability, name, args>, 'address'> & { data?: undefined }

/** Functions and arguments that are unknown to the compiler and checked during encoding. */
export type AnyFunctionInput = {
  abi: Abi | readonly unknown[]
  functionName: string
  args?: readonly unknown[] | undefined
  data?: undefined
}

type WithFunction<call, input> = Omit<call, 'data'> & input

/** Call with `data`, or with a contract function. */
export type AnyCall<call> = call | WithFunction<call, AnyFunctionInput>

/** Content of an operation: calls with `data`, calls with a contract function, or the account's own call data. */
export type AnyUserOperationInput = AnyCall<CallInput> | readonly AnyCall<CallInput>[] | Hex

/** Type of the passed `uo`, with each function and its arguments checked against the ABI. */
export type CheckedUserOperationInput<uo> = unknown extends uo
  ? AnyUserOperationInput
  : uo extends Hex
    ? uo
    : uo extends readonly unknown[]
      ? CheckedCalls<uo, CallInput>
      : CheckedCall<uo, CallInput>

/** Type of the passed calls, with arguments checked. `call` is the type of a call with `data`. */
export type CheckedCalls<calls, call> = unknown extends calls
  ? readonly AnyCall<call>[]
  : calls extends readonly []
    ? calls
    : calls extends readonly unknown[]
      ? { readonly [index in keyof calls]: CheckedCall<calls[index], call> }
      : readonly call[]

type CheckedCall<given, call> = given extends { abi: unknown; functionName: unknown }
  ? WithFunction<call, CheckedFunction<given>>
  : call

/**
 * Checks function names with a literal type. Other names, such as those in calls created by `map` without `as const`,
 * are checked during encoding.
 */
type CheckedFunction<given extends { abi: unknown; functionName: unknown }> = string extends given['functionName']
  ? AnyFunctionInput
  : given extends { abi: infer abi extends Abi | readonly unknown[] }
    ? given extends { functionName: infer name extends ContractFunctionName<abi, AbiStateMutability> }
      ? given extends { args: infer args extends ContractFunctionArgs<abi, AbiStateMutability, name> }
        ? FunctionInput<abi, name, args>
        : FunctionInput<abi, name>
      : FunctionInput<abi>
    : AnyFunctionInput

/** User operation with native values. The fields of EntryPoint 0.6 and those of later versions exclude each other. */
export type UserOperationStruct = {
  sender: Address
  nonce: bigint
  callData: Hex
  signature: Hex
  callGasLimit?: bigint
  verificationGasLimit?: bigint
  preVerificationGas?: bigint
  /** Wei per gas. */
  maxFeePerGas?: bigint
  /** Wei per gas. */
  maxPriorityFeePerGas?: bigint
  /** EntryPoint 0.6. */
  initCode?: Hex
  /** EntryPoint 0.6. */
  paymasterAndData?: Hex
  /** EntryPoint 0.7 and later, like the next five members. */
  factory?: Address
  factoryData?: Hex
  paymaster?: Address
  paymasterData?: Hex
  paymasterVerificationGasLimit?: bigint
  paymasterPostOpGasLimit?: bigint
  /** EntryPoint 0.9. */
  paymasterSignature?: Hex
  /** EIP-7702 authorization, sent together with the operation. */
  eip7702Auth?: Eip7702Authorization
}

export type UserOperationField = keyof UserOperationStruct

/** User operation whose values may be pending promises. */
export type UserOperationDraft = {
  [name in UserOperationField]?: UserOperationStruct[name] | Promise<UserOperationStruct[name] | undefined> | undefined
}

/** Draft without pending values. Fields may be missing. */
export type SettledDraft = { [name in UserOperationField]?: UserOperationStruct[name] }

/** User operation with all fields that its EntryPoint requires, and the account's dummy signature. */
export type CompleteUserOperation = UserOperationStruct & {
  [field in Exclude<GasField, `paymaster${string}`>]: bigint
}

/** Complete user operation with the owner's signature. */
export type SignedUserOperation = CompleteUserOperation

/** User operation in JSON-RPC form, with quantities as minimal hex. */
export type UserOperationRequest = {
  [name in keyof UserOperationStruct]: NonNullable<UserOperationStruct[name]> extends bigint
    ? Hex
    : UserOperationStruct[name]
}

export type UserOperationOverrides = OperationOverrides

export type FeeOption = { min?: bigint | undefined; max?: bigint | undefined; multiplier?: number | undefined }

export type FeeOptions = { [field in GasField]?: FeeOption | undefined }

/**
 * Gas limits estimated by a bundler. Includes the paymaster's limits if the operation has one and the bundler returns
 * them.
 */
export type GasEstimate = {
  callGasLimit: bigint
  verificationGasLimit: bigint
  preVerificationGas: bigint
  paymasterVerificationGasLimit?: bigint
  paymasterPostOpGasLimit?: bigint
}
