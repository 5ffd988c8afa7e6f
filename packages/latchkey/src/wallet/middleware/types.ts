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

/** Client given to a middleware: a viem client with a chain. */
export type MiddlewareClient = Client<Transport, Chain, ClientAccount>

export type MiddlewareContext = {
  account: LatchkeyAccount
  client: MiddlewareClient
  overrides: UserOperationOverrides
  feeOptions: FeeOptions
  costCaps: CostCaps
  /** The caller's `context`. */
  context: unknown
}

/** Step of the stack. Returns a new draft; never changes its input. */
export type Middleware = (draft: UserOperationDraft, context: MiddlewareContext) => Promise<UserOperationDraft>

export type GasManagerConfig = {
  /** One or more policies: the service uses the first that allows an operation. */
  policyId: PolicyIds
  /**
   * Paymaster in the dummy data.
   * @default the chain's
   */
  paymasterAddress?: Address | undefined
  /** Data that follows the paymaster in the dummy data. */
  dummyData?: Hex | undefined
  gasEstimationOptions?:
    | {
        /** Estimates fees and gas in the client, and requests only the paymaster's part from the gas manager. */
        disableGasEstimation?: boolean | undefined
        fallbackFeeDataGetter?: Middleware | undefined
        fallbackGasEstimator?: Middleware | undefined
      }
    | undefined
}

/** Replaceable steps; absent steps have their defaults. */
export type MiddlewareConfig = {
  gasManagerConfig?: GasManagerConfig | undefined
  /** Requests the operation's changes from the provider before the operation is signed. */
  useSimulation?: boolean | undefined
  feeEstimator?: Middleware | undefined
  gasEstimator?: Middleware | undefined
  customMiddleware?: Middleware | undefined
  /** Custom paymaster. Ignored when `gasManagerConfig` is given. */
  paymasterAndData?: PaymasterSteps | undefined
  userOperationSimulator?: Middleware | undefined
  signUserOperation?: Middleware | undefined
}

export type PaymasterSteps = {
  dummyPaymasterAndData: Middleware
  paymasterAndData: Middleware
  /** Wraps the signing step, to get the paymaster's signature while the owner signs (EntryPoint 0.9). */
  cosign?: ((sign: SigningStep) => SigningStep) | undefined
}

/** Step that awaits pending values: after this step, every value is known. */
export type SettlingStep = (draft: UserOperationDraft, context: MiddlewareContext) => Promise<SettledDraft>

export type SettledStep = (draft: SettledDraft, context: MiddlewareContext) => Promise<SettledDraft>

/**
 * Step that uses the gateway's own method to prepare everything except the signature. Returns undefined if the service
 * does not have that method.
 */
export type PrepareStep = (callData: Hex, context: MiddlewareContext) => Promise<SettledDraft | undefined>

export type SigningStep = (operation: CompleteUserOperation, context: MiddlewareContext) => Promise<SignedUserOperation>

/** Steps that determine an operation's gas and payment. An absent step does nothing. */
export type PaymentSteps = {
  dummyPaymasterAndData: Middleware
  feeEstimator?: Middleware | undefined
  gasEstimator?: Middleware | undefined
  paymasterAndData?: SettlingStep | undefined
}
