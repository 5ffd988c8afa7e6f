import type { Middleware, MiddlewareConfig } from '../client/types.ts'
import { estimateFees } from './estimateFees.ts'
import { estimateGas } from './estimateGas.ts'
import { gasManager } from './gasManager.ts'
import { noPaymaster } from './noPaymaster.ts'
import { pass } from './pass.ts'
import { sign } from './sign.ts'
import { simulate } from './simulate.ts'

/** The steps of a user operation, in the order in which they run; the last one when it is sent. */
export type Stack = {
  dummyPaymasterAndData: Middleware
  feeEstimator: Middleware
  gasEstimator: Middleware
  customMiddleware: Middleware
  paymasterAndData: Middleware
  userOperationSimulator: Middleware
  signUserOperation: Middleware
}

/** The stack of a client: its own steps, those of the gas manager, and defaults for the rest. */
export function createStack(config: MiddlewareConfig): Stack {
  const feeEstimator = config.feeEstimator ?? estimateFees
  const gasEstimator = config.gasEstimator ?? estimateGas
  const { gasManagerConfig, paymasterAndData } = config
  return {
    dummyPaymasterAndData: paymasterAndData?.dummyPaymasterAndData ?? noPaymaster,
    customMiddleware: config.customMiddleware ?? pass,
    paymasterAndData: paymasterAndData?.paymasterAndData ?? pass,
    userOperationSimulator: config.userOperationSimulator ?? (config.useSimulation ? simulate : pass),
    signUserOperation: config.signUserOperation ?? sign,
    feeEstimator,
    gasEstimator,
    ...(gasManagerConfig ? gasManager({ ...gasManagerConfig, feeEstimator, gasEstimator }) : {}),
  }
}
