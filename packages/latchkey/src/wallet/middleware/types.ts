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

/** The client a middleware is given: a viem client with a chain. */
export type MiddlewareClient = Client<Transport, Chain, ClientAccount>

export type MiddlewareContext = {
  account: LatchkeyAccount
  client: MiddlewareClient
  overrides: UserOperationOverrides
  feeOptions: FeeOptions
  costCaps: CostCaps
  /** What the caller passed as `context`. */
  context: unknown
}

/** One step of the stack. Returns a new draft; never changes the one it was given. */
export type Middleware = (draft: UserOperationDraft, context: MiddlewareContext) => Promise<UserOperationDraft>

export type GasManagerConfig = {
  /** One, or several: the service takes the first that allows an operation. */
  policyId: PolicyIds
  /**
   * Paymaster of the dummy data.
   * @default the chain's
   */
  paymasterAddress?: Address | undefined
  /** What follows the paymaster in the dummy data. */
  dummyData?: Hex | undefined
  gasEstimationOptions?:
    | {
        /** Estimate fees and gas here, and ask the gas manager for the paymaster's part only. */
        disableGasEstimation?: boolean | undefined
        fallbackFeeDataGetter?: Middleware | undefined
        fallbackGasEstimator?: Middleware | undefined
      }
    | undefined
}

/** Replaceable steps; what is absent has its default. */
export type MiddlewareConfig = {
  gasManagerConfig?: GasManagerConfig | undefined
  /** Ask the provider what the operation would change before it is signed. */
  useSimulation?: boolean | undefined
  feeEstimator?: Middleware | undefined
  gasEstimator?: Middleware | undefined
  customMiddleware?: Middleware | undefined
  /** A paymaster of one's own. Ignored when `gasManagerConfig` is given. */
  paymasterAndData?: { dummyPaymasterAndData: Middleware; paymasterAndData: Middleware } | undefined
  userOperationSimulator?: Middleware | undefined
  signUserOperation?: Middleware | undefined
}

/** The step that waits for what is pending: from here on every value is known. */
export type SettlingStep = (draft: UserOperationDraft, context: MiddlewareContext) => Promise<SettledDraft>

export type SettledStep = (draft: SettledDraft, context: MiddlewareContext) => Promise<SettledDraft>

/** Everything but the signature by the gateway's own method. Undefined where the service does not have it. */
export type PrepareStep = (callData: Hex, context: MiddlewareContext) => Promise<SettledDraft | undefined>

export type SigningStep = (operation: CompleteUserOperation, context: MiddlewareContext) => Promise<SignedUserOperation>

/** The steps by which an operation's gas is known and paid for. An absent one does nothing. */
export type PaymentSteps = {
  dummyPaymasterAndData: Middleware
  feeEstimator?: Middleware | undefined
  gasEstimator?: Middleware | undefined
  paymasterAndData?: SettlingStep | undefined
}
