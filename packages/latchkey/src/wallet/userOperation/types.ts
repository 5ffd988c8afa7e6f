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

// A user operation goes from draft to settled to complete to signed, and travels as a request.

export type CallInput = { target: Address; data: Hex; value?: bigint | undefined }

/** One call, several in one operation, or call data for the account as it is. */
export type UserOperationInput = CallInput | readonly CallInput[] | Hex

/** Names a function of a contract and its arguments, from which the call's `data` is encoded. */
export type FunctionInput<
  abi extends Abi | readonly unknown[] = Abi,
  name extends ContractFunctionName<abi, AbiStateMutability> = ContractFunctionName<abi, AbiStateMutability>,
  args extends ContractFunctionArgs<abi, AbiStateMutability, name> = ContractFunctionArgs<
    abi,
    AbiStateMutability,
    name
  >,
> = Omit<ContractFunctionParameters<abi, AbiStateMutability, name, args>, 'address'> & { data?: undefined }

/** The same where the compiler knows neither the function nor its arguments; they are checked as they are encoded. */
export type AnyFunctionInput = {
  abi: Abi | readonly unknown[]
  functionName: string
  args?: readonly unknown[] | undefined
  data?: undefined
}

type WithFunction<call, input> = Omit<call, 'data'> & input

/** A call by its `data`, as in `call`, or by a function of its contract. */
export type AnyCall<call> = call | WithFunction<call, AnyFunctionInput>

/** What an operation is to do: calls by `data` or by function, or call data for the account as it is. */
export type AnyUserOperationInput = AnyCall<CallInput> | readonly AnyCall<CallInput>[] | Hex

/** `uo` as it was passed, with each function and its arguments checked against the ABI. */
export type CheckedUserOperationInput<uo> = unknown extends uo
  ? AnyUserOperationInput
  : uo extends Hex
    ? uo
    : uo extends readonly unknown[]
      ? CheckedCalls<uo, CallInput>
      : CheckedCall<uo, CallInput>

/** Calls as they were passed, each with its arguments checked. `call` is the form that has `data`. */
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

/** A function whose name is no literal, as of calls made by `map` without `as const`, is checked as it is encoded. */
type CheckedFunction<given extends { abi: unknown; functionName: unknown }> = string extends given['functionName']
  ? AnyFunctionInput
  : given extends { abi: infer abi extends Abi | readonly unknown[] }
    ? given extends { functionName: infer name extends ContractFunctionName<abi, AbiStateMutability> }
      ? given extends { args: infer args extends ContractFunctionArgs<abi, AbiStateMutability, name> }
        ? FunctionInput<abi, name, args>
        : FunctionInput<abi, name>
      : FunctionInput<abi>
    : AnyFunctionInput

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

export type UserOperationField = keyof UserOperationStruct

/** A user operation some of whose values are still pending. */
export type UserOperationDraft = {
  [name in UserOperationField]?: UserOperationStruct[name] | Promise<UserOperationStruct[name] | undefined> | undefined
}

/** A draft without pending values. Some may be missing. */
export type SettledDraft = { [name in UserOperationField]?: UserOperationStruct[name] }

/** A user operation with all that its EntryPoint requires; the signature is the account's dummy one. */
export type CompleteUserOperation = UserOperationStruct & {
  [field in Exclude<GasField, `paymaster${string}`>]: bigint
}

/** A complete user operation with the owner's signature. */
export type SignedUserOperation = CompleteUserOperation

/** A user operation as it travels: quantities in minimal hex. */
export type UserOperationRequest = {
  [name in keyof UserOperationStruct]: NonNullable<UserOperationStruct[name]> extends bigint
    ? Hex
    : UserOperationStruct[name]
}

export type UserOperationOverrides = OperationOverrides

export type FeeOption = { min?: bigint | undefined; max?: bigint | undefined; multiplier?: number | undefined }

export type FeeOptions = { [field in GasField]?: FeeOption | undefined }

/** Gas limits as a bundler estimates them; those of the paymaster where there is one and the bundler says them. */
export type GasEstimate = {
  callGasLimit: bigint
  verificationGasLimit: bigint
  preVerificationGas: bigint
  paymasterVerificationGasLimit?: bigint
  paymasterPostOpGasLimit?: bigint
}
