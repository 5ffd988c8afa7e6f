import { concat, type Hex } from 'viem'
import { getPaymasterAddress } from '../../core/chains/getPaymasterAddress.ts'
import { gatewayMethods } from '../../wire/gateway.ts'
import type { GasManagerConfig, Middleware, MiddlewareContext } from '../client/types.ts'
import { rpc } from '../rpc.ts'
import { resolveDraft } from '../userOperation/resolveDraft.ts'
import { toRequest } from '../userOperation/toRequest.ts'
import { isUnsponsored } from './isUnsponsored.ts'
import { pass } from './pass.ts'
import { readSponsorship } from './readSponsorship.ts'
import { splitGasFields } from './splitGasFields.ts'
import { toGasOverrides } from './toGasOverrides.ts'

/** 97 bytes of the form a paymaster's data has, so that gas estimates come out right. */
const dummyPaymasterData: Hex =
  '0xfffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff0000000000000000000000000000000007aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa1c'

export declare namespace gasManager {
  type Parameters = GasManagerConfig & { feeEstimator: Middleware; gasEstimator: Middleware }
  type ReturnType = Record<'dummyPaymasterAndData' | 'feeEstimator' | 'gasEstimator' | 'paymasterAndData', Middleware>
}

/**
 * The four steps a gas manager supplies. Combined flow (default): one request settles fees, gas and the paymaster's
 * part, so the fee and gas steps do nothing unless the operation is sent without sponsorship. Separate flow
 * (`disableGasEstimation`): fees and gas are settled here and the gas manager signs what it is given.
 */
export function gasManager(parameters: gasManager.Parameters): gasManager.ReturnType {
  const { gasEstimationOptions: options } = parameters
  const feeEstimator = options?.fallbackFeeDataGetter ?? parameters.feeEstimator
  const gasEstimator = options?.fallbackGasEstimator ?? parameters.gasEstimator
  const dummyPaymasterAndData = dummyStep(parameters)
  if (options?.disableGasEstimation) {
    return { dummyPaymasterAndData, feeEstimator, gasEstimator, paymasterAndData: separateStep(parameters.policyId) }
  }
  const unlessSponsored =
    (step: Middleware): Middleware =>
    (draft, context) =>
      isUnsponsored(context) ? step(draft, context) : pass(draft, context)
  return {
    dummyPaymasterAndData,
    feeEstimator: unlessSponsored(feeEstimator),
    gasEstimator: unlessSponsored(gasEstimator),
    paymasterAndData: combinedStep(parameters.policyId),
  }
}

function dummyStep({ paymasterAddress, dummyData = dummyPaymasterData }: GasManagerConfig): Middleware {
  return async (draft, { account, client }) => {
    const { entryPointVersion } = account
    const paymaster = getPaymasterAddress({ chain: client.chain, entryPointVersion, address: paymasterAddress })
    if (entryPointVersion === '0.7.0') return { ...draft, paymaster, paymasterData: dummyData }
    return { ...draft, paymasterAndData: concat([paymaster, dummyData]).toLowerCase() as Hex }
  }
}

/** `alchemy_requestGasAndPaymasterAndData`. */
function combinedStep(policyId: string): Middleware {
  const action = 'Could not get the operation sponsored.'
  return async (draft, context) => {
    const settled = await resolveDraft(draft)
    const { gas, rest } = splitGasFields(settled)
    const params = {
      policyId,
      entryPoint: context.account.entryPoint.address,
      userOperation: toRequest(rest),
      dummySignature: settled.signature,
      overrides: toGasOverrides(gas, context),
    }
    const answer = await rpc(context.client, {
      method: gatewayMethods.requestGasAndPaymasterAndData,
      params: [params],
      action,
    })
    return { ...settled, ...readSponsorship(answer, { action, version: versionOf(context), withGas: true }) }
  }
}

/** `alchemy_requestPaymasterAndData`. */
function separateStep(policyId: string): Middleware {
  const action = 'Could not get the operation sponsored.'
  return async (draft, context) => {
    const settled = await resolveDraft(draft)
    const params = { policyId, entryPoint: context.account.entryPoint.address, userOperation: toRequest(settled) }
    const answer = await rpc(context.client, {
      method: gatewayMethods.requestPaymasterAndData,
      params: [params],
      action,
    })
    return { ...settled, ...readSponsorship(answer, { action, version: versionOf(context), withGas: false }) }
  }
}

function versionOf({ account }: MiddlewareContext) {
  return account.entryPointVersion
}
