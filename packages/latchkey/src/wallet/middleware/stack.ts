import type { Hex } from 'viem'
import { gatewaySupport } from '../client/gatewaySupport.ts'
import { getFormat } from '../entryPoint/formats.ts'
import { hashOperation } from '../entryPoint/hashOperation.ts'
import { requireComplete, settleDraft } from '../userOperation/states.ts'
import type { CompleteUserOperation, SettledDraft, UserOperationDraft } from '../userOperation/types.ts'
import { estimateFees } from './estimateFees.ts'
import { estimateGas } from './estimateGas.ts'
import { gasManager, stubStep } from './gasManager.ts'
import { prepareSelfPaid, prepareSponsored } from './prepare.ts'

import { simulate } from './simulate.ts'
import type {
  Middleware,
  MiddlewareConfig,
  MiddlewareContext,
  PaymentSteps,
  PrepareStep,
  SettledStep,
  SettlingStep,
  SigningStep,
} from './types.ts'

/** Steps that build and sign a client's user operations. Undefined steps are skipped. */
export type Stack = {
  sponsored: PaymentSteps
  /** Steps of an operation without a paymaster. */
  unsponsored: PaymentSteps
  /** Replaces all steps before the simulator. Undefined if the app has its own step among them. */
  prepareSponsored: PrepareStep | undefined
  prepareSelfPaid: PrepareStep | undefined
  /** Replaces the gas manager's signature in previews. */
  stub: SettlingStep | undefined
  customMiddleware: Middleware | undefined
  userOperationSimulator: SettledStep | undefined
  /** Signs the operation when it is sent. */
  signUserOperation: SigningStep
}

/** Creates the steps of a client: those in its config, those of the gas manager, and defaults. */
export function createStack(config: MiddlewareConfig): Stack {
  const { gasManagerConfig, paymasterAndData, userOperationSimulator, useSimulation, signUserOperation } = config
  const fallback = gasManagerConfig?.gasEstimationOptions
  const unsponsored: PaymentSteps = {
    dummyPaymasterAndData: noPaymaster,
    feeEstimator: fallback?.fallbackFeeDataGetter ?? config.feeEstimator ?? estimateFees,
    gasEstimator: fallback?.fallbackGasEstimator ?? config.gasEstimator ?? estimateGas,
  }
  const ownPaymaster = {
    dummyPaymasterAndData: paymasterAndData?.dummyPaymasterAndData ?? noPaymaster,
    paymasterAndData: paymasterAndData && settleAfter(paymasterAndData.paymasterAndData),
  }
  const defaultSimulator = useSimulation ? simulate : undefined
  const signing = signUserOperation ? completeAfter(signUserOperation) : sign
  const cosign = gasManagerConfig ? undefined : paymasterAndData?.cosign
  return {
    sponsored: { ...unsponsored, ...(gasManagerConfig ? gasManager(gasManagerConfig) : ownPaymaster) },
    unsponsored,
    ...prepareSteps(config),
    stub: gasManagerConfig && stubStep(gasManagerConfig),
    customMiddleware: config.customMiddleware,
    userOperationSimulator: userOperationSimulator ? settleAfter(userOperationSimulator) : defaultSimulator,
    signUserOperation: cosign?.(signing) ?? signing,
  }
}

function prepareSteps({ gasManagerConfig, ...steps }: MiddlewareConfig) {
  const { disableGasEstimation, fallbackFeeDataGetter, fallbackGasEstimator } =
    gasManagerConfig?.gasEstimationOptions ?? {}
  const ownEstimators = [steps.feeEstimator, steps.gasEstimator, fallbackFeeDataGetter, fallbackGasEstimator]
  const canSponsor = gasManagerConfig && !disableGasEstimation && !steps.customMiddleware
  const canPay = !steps.customMiddleware && !steps.paymasterAndData && !ownEstimators.some(Boolean)
  return {
    prepareSponsored: canSponsor ? prepareSponsored(gasManagerConfig) : undefined,
    prepareSelfPaid: canPay ? prepareSelfPaid : undefined,
  }
}

export declare namespace prepareOperation {
  type Parameters = {
    stack: Stack
    callData: Promise<Hex>
    startDraft: () => UserOperationDraft
    context: MiddlewareContext
  }
}

/**
 * Builds a complete unsigned operation, with one request to Latchkey's gateway or with the steps. While it is unknown
 * whether the service is Latchkey's gateway, the reads of the steps run in parallel to save time.
 *
 * @throws `USER_OPERATION_INVALID` if a field is missing after the steps.
 */
export async function prepareOperation(parameters: prepareOperation.Parameters): Promise<CompleteUserOperation> {
  const { stack, startDraft, context } = parameters
  const support = gatewaySupport(context.client)
  const step = findPrepareStep(stack, context)
  if (!step) return runStack(stack, startDraft(), context)
  const draft = support === 'unknown' ? startDraft() : undefined
  const prepared = await step(await parameters.callData, context)
  return prepared ? finish(stack, prepared, context) : runStack(stack, draft ?? startDraft(), context)
}

function findPrepareStep(stack: Stack, context: MiddlewareContext): PrepareStep | undefined {
  const support = gatewaySupport(context.client)
  if (support === 'no') return undefined
  if (stack.stub && !isUnsponsored(context)) return stack.prepareSponsored
  // Without a gas manager, the method is called only if the service is known to be a gateway. It does not accept a
  // state override.
  return support === 'yes' && !context.overrides.stateOverride ? stack.prepareSelfPaid : undefined
}

/**
 * Runs the six steps before signing, in order.
 *
 * @throws `USER_OPERATION_INVALID` if a field is missing after the steps.
 */
export async function runStack(
  stack: Stack,
  start: UserOperationDraft,
  context: MiddlewareContext,
): Promise<CompleteUserOperation> {
  const payment = isUnsponsored(context) ? stack.unsponsored : stack.sponsored
  const { dummyPaymasterAndData, feeEstimator, gasEstimator, paymasterAndData = settleDraft } = payment
  let draft = start
  for (const step of [dummyPaymasterAndData, feeEstimator, gasEstimator, stack.customMiddleware]) {
    if (step) draft = await step(draft, context)
  }
  return finish(stack, await paymasterAndData(draft, context), context)
}

async function finish(stack: Stack, settled: SettledDraft, context: MiddlewareContext): Promise<CompleteUserOperation> {
  const { userOperationSimulator } = stack
  const operation = userOperationSimulator ? await userOperationSimulator(settled, context) : settled
  return requireComplete(operation, getFormat(context.account))
}

function isUnsponsored({ account, overrides }: MiddlewareContext): boolean {
  return overrides[getFormat(account).paymasterDataField] === '0x'
}

/**
 * Builds an operation for preview. Requests only a stub from a gas manager, because a real signature would count
 * against the policy's budget. Calls an app's own paymaster steps as for sending.
 */
export async function runPreview(
  stack: Stack,
  start: UserOperationDraft,
  context: MiddlewareContext,
): Promise<SettledDraft> {
  if (!stack.stub || isUnsponsored(context))
    return runStack({ ...stack, userOperationSimulator: undefined }, start, context)
  let draft = start
  for (const step of [stack.sponsored.dummyPaymasterAndData, stack.customMiddleware])
    if (step) draft = await step(draft, context)
  return stack.stub(draft, context)
}

const noPaymaster: Middleware = async (draft, { account }) => ({ ...draft, ...getFormat(account).noPaymaster })

/**
 * Signs the operation with the account's owner. Also signs an EIP-7702 authorization if the address is not delegated
 * yet.
 */
const sign: SigningStep = async (given, { account, client }) => {
  const { address } = account.entryPoint
  const chainId = client.chain.id
  // A replaced operation already has a signed authorization.
  const isUnsigned = given.eip7702Auth && BigInt(given.eip7702Auth.r) === 0n
  const eip7702Auth = isUnsigned && (await account.delegation?.signAuthorization())
  const operation = eip7702Auth ? { ...given, eip7702Auth } : given
  const hash = hashOperation(operation, { version: account.entryPointVersion, chainId, entryPointAddress: address })
  const content = { chainId, entryPoint: address, operation }
  const signature = await account.signUserOperationHash(hash, content)
  return { ...operation, signature }
}

// An app's own step may return pending promises or omit values.

const settleAfter =
  (step: Middleware): SettlingStep =>
  async (draft, context) =>
    settleDraft(await step(draft, context))

const completeAfter =
  (step: Middleware): SigningStep =>
  async (operation, context) =>
    requireComplete(await settleDraft(await step(operation, context)), getFormat(context.account))
