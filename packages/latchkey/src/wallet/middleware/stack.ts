import { getFormat } from '../entryPoint/formats.ts'
import { requireComplete, settleDraft } from '../userOperation/states.ts'
import type { CompleteUserOperation, UserOperationDraft } from '../userOperation/types.ts'
import { estimateFees } from './estimateFees.ts'
import { estimateGas } from './estimateGas.ts'
import { gasManager } from './gasManager.ts'
import { simulate } from './simulate.ts'
import type {
  Middleware,
  MiddlewareConfig,
  MiddlewareContext,
  PaymentSteps,
  SettledStep,
  SettlingStep,
  SigningStep,
} from './types.ts'

/** The steps of a client's user operations. An absent one does nothing. */
export type Stack = {
  sponsored: PaymentSteps
  /** For an operation whose caller asks for no paymaster. */
  unsponsored: PaymentSteps
  customMiddleware: Middleware | undefined
  userOperationSimulator: SettledStep | undefined
  /** Runs when the operation is sent. */
  signUserOperation: SigningStep
}

/** The steps of a client: its own, those of the gas manager, and defaults for the rest. */
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
  return {
    sponsored: { ...unsponsored, ...(gasManagerConfig ? gasManager(gasManagerConfig) : ownPaymaster) },
    unsponsored,
    customMiddleware: config.customMiddleware,
    userOperationSimulator: userOperationSimulator ? settleAfter(userOperationSimulator) : defaultSimulator,
    signUserOperation: signUserOperation ? completeAfter(signUserOperation) : sign,
  }
}

/**
 * Runs the six steps before signing, in order.
 *
 * @throws `USER_OPERATION_INVALID` when they leave something out.
 */
export async function runStack(
  stack: Stack,
  start: UserOperationDraft,
  context: MiddlewareContext,
): Promise<CompleteUserOperation> {
  const format = getFormat(context.account)
  const isUnsponsored = context.overrides[format.paymasterDataField] === '0x'
  const payment = isUnsponsored ? stack.unsponsored : stack.sponsored
  const { dummyPaymasterAndData, feeEstimator, gasEstimator, paymasterAndData = settleDraft } = payment
  let draft = start
  for (const step of [dummyPaymasterAndData, feeEstimator, gasEstimator, stack.customMiddleware]) {
    if (step) draft = await step(draft, context)
  }
  const settled = await paymasterAndData(draft, context)
  const { userOperationSimulator } = stack
  return requireComplete(userOperationSimulator ? await userOperationSimulator(settled, context) : settled, format)
}

/** The account pays for its own gas. */
const noPaymaster: Middleware = async (draft, { account }) => ({ ...draft, ...getFormat(account).noPaymaster })

/** Signs the operation with the account's owner. */
const sign: SigningStep = async (operation, { account, client }) => {
  const entryPoint = { chainId: client.chain.id, entryPointAddress: account.entryPoint.address }
  const hash = getFormat(account).hash(operation, entryPoint)
  return { ...operation, signature: await account.signUserOperationHash(hash) }
}

// The app's own steps may leave values pending, or out.

const settleAfter =
  (step: Middleware): SettlingStep =>
  async (draft, context) =>
    settleDraft(await step(draft, context))

const completeAfter =
  (step: Middleware): SigningStep =>
  async (operation, context) =>
    requireComplete(await settleDraft(await step(operation, context)), getFormat(context.account))
