import type { PolicyIds } from 'latchkey-protocol'
import type { Address, Chain, Client, Hex, Transport } from 'viem'
import type { LatchkeyAccount } from '../../accounts/types.ts'
import type { ClientAccount, CostCaps } from '../client/types.ts'
import type {
  CompleteUserOperation,
  FeeOptions,
  SettledDraft,
  SignedUserOperation,
  UserOperationDraft,
  UserOperationOverrides,
} from '../userOperation/types.ts'

/** Client passed to a middleware: a viem client with a chain. */
export type MiddlewareClient = Client<Transport, Chain, ClientAccount>

export type MiddlewareContext = {
  account: LatchkeyAccount
  client: MiddlewareClient
  overrides: UserOperationOverrides
  feeOptions: FeeOptions
  costCaps: CostCaps
  /** The caller's `context`, unchanged. */
  context: unknown
}

/** Step that builds an operation. Returns a new draft and never changes its input. */
export type Middleware = (draft: UserOperationDraft, context: MiddlewareContext) => Promise<UserOperationDraft>

export type GasManagerConfig = {
  /** One or more policy ids. The service uses the first policy that allows the operation. */
  policyId: PolicyIds
  /**
   * Paymaster in the dummy data.
   * @default the chain's paymaster
   */
  paymasterAddress?: Address | undefined
  /** Dummy data that follows the paymaster's address. */
  dummyData?: Hex | undefined
  gasEstimationOptions?:
    | {
        /** Estimates fees and gas in the client, and requests only paymaster fields from the gas manager. */
        disableGasEstimation?: boolean | undefined
        fallbackFeeDataGetter?: Middleware | undefined
        fallbackGasEstimator?: Middleware | undefined
      }
    | undefined
}

/** Replaceable steps. Undefined steps have defaults. */
export type MiddlewareConfig = {
  gasManagerConfig?: GasManagerConfig | undefined
  /** Simulates the operation at the provider before it is signed. */
  useSimulation?: boolean | undefined
  feeEstimator?: Middleware | undefined
  gasEstimator?: Middleware | undefined
  customMiddleware?: Middleware | undefined
  /** Custom paymaster. Ignored if `gasManagerConfig` is given. */
  paymasterAndData?: PaymasterSteps | undefined
  userOperationSimulator?: Middleware | undefined
  signUserOperation?: Middleware | undefined
}

export type PaymasterSteps = {
  dummyPaymasterAndData: Middleware
  paymasterAndData: Middleware
  /** Wraps the signing step, to request the paymaster's signature while the owner signs (EntryPoint 0.9). */
  cosign?: ((sign: SigningStep) => SigningStep) | undefined
}

/** Step that awaits all pending values. */
export type SettlingStep = (draft: UserOperationDraft, context: MiddlewareContext) => Promise<SettledDraft>

export type SettledStep = (draft: SettledDraft, context: MiddlewareContext) => Promise<SettledDraft>

/**
 * Step that calls the gateway's own method to prepare everything except the signature. Returns undefined if the service
 * lacks the method.
 */
export type PrepareStep = (callData: Hex, context: MiddlewareContext) => Promise<SettledDraft | undefined>

export type SigningStep = (operation: CompleteUserOperation, context: MiddlewareContext) => Promise<SignedUserOperation>

/** Steps that determine an operation's gas and payment. Undefined steps are skipped. */
export type PaymentSteps = {
  dummyPaymasterAndData: Middleware
  feeEstimator?: Middleware | undefined
  gasEstimator?: Middleware | undefined
  paymasterAndData?: SettlingStep | undefined
}
