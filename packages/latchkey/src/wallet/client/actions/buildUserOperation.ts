import type { Hex } from 'viem'
import type { LatchkeyAccount } from '../../../accounts/types.ts'
import { getFormat } from '../../entryPoint/formats.ts'
import { prepareOperation, runPreview } from '../../middleware/stack.ts'
import { fromTransactions } from '../../userOperation/fromTransactions.ts'
import { toPlainInput } from '../../userOperation/toPlainInput.ts'
import type {
  AnyUserOperationInput,
  CompleteUserOperation,
  SettledDraft,
  UserOperationDraft,
  UserOperationOverrides,
} from '../../userOperation/types.ts'
import type {
  SendUserOperationParameters,
  TransactionInput,
  TransactionsParameters,
  TransactionsResult,
} from '../types.ts'
import { type ActionContext, middlewareContext } from './context.ts'

/**
 * Builds a user operation by running every step except signing. The operation has the account's dummy signature.
 *
 * @throws `ARGUMENT_INVALID` if a function or its arguments do not match the ABI; `BASE_FEE_MISSING`,
 * `FEE_RANGE_INVALID`, `MULTIPLIER_INVALID`, `COST_TOO_HIGH`; `CONTRACT_REVERTED`, `USER_OPERATION_INVALID` if the
 * operation would fail; `POLICY_NOT_FOUND`, `POLICY_REFUSED`, `PAYMASTER_DEPOSIT_LOW` if it is not sponsored;
 * `NETWORK_UNREACHABLE`, `TIMEOUT`, `HTTP_FAILED`, `RATE_LIMIT_EXCEEDED`, `RPC_FAILED`, `RESPONSE_INVALID` if a service
 * fails.
 *
 * @example
 * ```ts
 * import { buildUserOperation } from 'latchkey'
 * import { context } from './config.ts'
 *
 * const uo = { target: '0x000000000000000000000000000000000000dEaD', data: '0x' } as const
 * const uoStruct = await buildUserOperation(context, { uo })
 * console.log(uoStruct.maxFeePerGas)
 * ```
 */
export async function buildUserOperation<const uo>(
  context: ActionContext,
  parameters: SendUserOperationParameters<uo>,
): Promise<CompleteUserOperation> {
  const { account, stack } = context
  const callData = Promise.resolve(encode(account, parameters.uo))
  return prepareOperation({
    stack,
    callData,
    startDraft: () => startDraft(account, callData, parameters.overrides),
    context: middlewareContext(context, parameters),
  })
}

/** Builds an operation for preview, without a paymaster's signature. It cannot be sent. */
export async function previewUserOperation<const uo>(
  context: ActionContext,
  parameters: SendUserOperationParameters<uo>,
): Promise<SettledDraft> {
  const { account, stack } = context
  const draft = startDraft(account, encode(account, parameters.uo), parameters.overrides)
  return runPreview(stack, draft, middlewareContext(context, parameters))
}

/**
 * Converts a transaction to an unsigned user operation.
 *
 * @throws `USER_OPERATION_INVALID` for a transaction of another sender, a transaction without `to`, or an invalid
 * quantity; errors of `buildUserOperation`.
 *
 * @example
 * ```ts
 * import { buildUserOperationFromTx } from 'latchkey'
 * import { context } from './config.ts'
 *
 * const transaction = { to: '0x000000000000000000000000000000000000dEaD', value: 1n } as const
 * const uoStruct = await buildUserOperationFromTx(context, transaction)
 * console.log(uoStruct.nonce)
 * ```
 */
export async function buildUserOperationFromTx(
  context: ActionContext,
  transaction: TransactionInput,
  overrides?: UserOperationOverrides,
  custom?: unknown,
): Promise<CompleteUserOperation> {
  const built = await buildUserOperationFromTxs(context, { requests: [transaction], overrides, context: custom })
  return built.uoStruct
}

/**
 * Combines several transactions into one unsigned user operation.
 *
 * @throws `USER_OPERATION_INVALID` for a transaction of another sender, a transaction without `to`, or an invalid
 * quantity; errors of `buildUserOperation`.
 *
 * @example
 * ```ts
 * import { buildUserOperationFromTxs } from 'latchkey'
 * import { context } from './config.ts'
 *
 * const transaction = { to: '0x000000000000000000000000000000000000dEaD', value: 1n } as const
 * const { uoStruct } = await buildUserOperationFromTxs(context, { requests: [transaction, transaction] })
 * console.log(uoStruct.callData)
 * ```
 */
export async function buildUserOperationFromTxs(
  context: ActionContext,
  { requests, overrides: given, context: custom }: TransactionsParameters,
): Promise<TransactionsResult & { uoStruct: CompleteUserOperation }> {
  const { batch, overrides } = fromTransactions(context.account.address, requests, given)
  return { uoStruct: await buildUserOperation(context, { uo: batch, overrides, context: custom }), batch, overrides }
}

/**
 * Starts a user operation with the values that do not depend on fees and gas: sender, nonce, deployment, call data and
 * dummy signature. The values are read in parallel and may still be pending promises.
 */
export function startDraft(
  account: LatchkeyAccount,
  callData: UserOperationDraft['callData'],
  { nonceKey = 0n }: UserOperationOverrides = {},
): UserOperationDraft {
  const nonce = account.getNonce({ key: nonceKey })
  const format = getFormat(account)
  const { delegation } = account
  const draft: UserOperationDraft = {
    ...(delegation ? format.readDelegation(delegation.getStubAuthorization()) : format.readDeployment(account)),
    sender: account.address,
    nonce,
    callData,
    signature: nonce.then((nonce) => account.getStubSignature({ nonce })),
  }
  // Prevents unhandled rejections, which would end a Node process, if a step fails before these promises are awaited.
  for (const value of Object.values(draft)) Promise.resolve(value).catch(() => {})
  return draft
}

export function encode(account: LatchkeyAccount, uo: AnyUserOperationInput): Hex | Promise<Hex> {
  const plain = toPlainInput(uo)
  if (typeof plain === 'string') return plain
  return account.encodeCalls([plain].flat().map(({ target: to, data, value }) => ({ to, data, value })))
}
