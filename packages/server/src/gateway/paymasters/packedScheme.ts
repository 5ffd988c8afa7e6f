import { errorCodes, type GasOverrides, type RequestPaymasterAndDataResult07 } from 'latchkey-protocol'
import { type Address, concatHex, type Hex, numberToHex } from 'viem'
import { z } from 'zod'
import { hashPackedOperation, type PackedVersion } from '../operations/hashPackedOperation.ts'
import { noDelegationFactory } from '../rpc/checkDelegation.ts'
import { RpcError, rpcCodes } from '../rpc/RpcError.ts'
import {
  address,
  bytes,
  delegationFactory,
  factoryAddress,
  gasQuantity,
  parseParams,
  parseResult,
  quantity,
} from '../rpc/values.ts'
import {
  applyOverride,
  filledGasShape,
  type GasValues,
  gasToHex,
  pickGas,
  readGas,
  requireBounded,
  settleGas,
} from './gasValues.ts'
import { documentedDummy, type Paymaster, type PaymasterPart } from './Paymaster.ts'
import type { Fees, PaymasterScheme, SettledSponsorship, Validity } from './PaymasterScheme.ts'

/**
 * Default gas limits of the paymaster. Checking one signature takes about 15 000 gas; the rest is for chains with more
 * expensive storage or calls. The paymaster stores no state, so there is no post-operation call.
 */
const ownLimits: PaymasterLimits = { paymasterVerificationGasLimit: 60_000n, paymasterPostOpGasLimit: 0n }

export const operationSchema = z
  .object({
    sender: address,
    nonce: quantity,
    factory: factoryAddress.optional(),
    factoryData: bytes.optional(),
    callData: bytes,
    signature: bytes.default('0x'),
    eip7702Auth: z.object({ address }).loose().nullish(),
  })
  .refine(({ factory, factoryData }) => typeof factory === typeof factoryData, {
    error: 'factory and factoryData go together',
    path: ['factory'],
  })
const limitsSchema = z.object({
  paymasterVerificationGasLimit: gasQuantity.optional(),
  paymasterPostOpGasLimit: gasQuantity.optional(),
})
const filledSchema = z.intersection(operationSchema, limitsSchema.extend(filledGasShape))

/** An operation of EntryPoint 0.7 or later with a dummy signature in the format of the real one. */
export type PackedOperation = {
  sender: Address
  nonce: bigint
  callData: Hex
  /** `0x7702` for an account of EIP-7702 from EntryPoint 0.8 on. */
  factory?: Address
  factoryData?: Hex
  signature: Hex
  /** Authorization of EIP-7702 that is sent with the operation. */
  eip7702Auth?: Eip7702Auth
}
type Eip7702Auth = { address: Address } & Readonly<Record<string, unknown>>
export type SettledPacked = PackedOperation & GasValues & PaymasterLimits
type PaymasterLimits = { paymasterVerificationGasLimit: bigint; paymasterPostOpGasLimit: bigint }

export declare namespace packedScheme {
  type Parameters = {
    version: PackedVersion
    entryPoint: Address
    chainId: number
    paymaster: Paymaster<PackedOperation, SettledPacked>
  }
  type ReturnType = PaymasterScheme
}

/** Creates the sponsorship scheme of an EntryPoint whose operations are packed: 0.7 and later. */
export function packedScheme(parameters: packedScheme.Parameters): packedScheme.ReturnType {
  const { version, entryPoint, paymaster } = parameters
  return {
    entryPoint,
    paymaster: paymaster.address,
    async open(userOperation, dummySignature) {
      const read = parseParams(operationSchema, userOperation, 'userOperation')
      const operation = { ...toOperation(read, version), signature: dummySignature }
      const stub = await paymaster.stub(operation)
      return {
        ...describe(operation, stub),
        settle: (estimate, fees, overrides, validity) => {
          const limits = settleLimits(estimate, stub, overrides)
          return settle(parameters, { ...operation, ...settleGas(estimate, fees, overrides), ...limits }, validity)
        },
      }
    },
    async openFilled(userOperation) {
      const read = parseParams(filledSchema, userOperation, 'userOperation')
      const operation = toOperation(read, version)
      const stub = await paymaster.stub(operation)
      const settled = { ...operation, ...readGas(read), ...readLimits(read, stub) }
      const given = readGiven(paymaster, userOperation)
      return {
        ...describe(operation, stub),
        settle: (validity) => settle(parameters, settled, given && isWithin(given, validity) ? given : validity),
      }
    },
    async stub(userOperation, nowMs) {
      const operation = toOperation(parseParams(operationSchema, userOperation, 'userOperation'), version)
      const part = await paymaster.stub(operation, nowMs)
      return toFields(part, readLimits({}, part))
    },
    async withStub(userOperation) {
      const { paymaster: payer, paymasterData } = userOperation
      const isOurs = typeof payer === 'string' && payer.toLowerCase() === paymaster.address?.toLowerCase()
      const isDummy = typeof paymasterData === 'string' && paymasterData.toLowerCase() === documentedDummy
      if (!isOurs && !isDummy) return userOperation
      const operation = toOperation(parseParams(operationSchema, userOperation, 'userOperation'), version)
      return { ...userOperation, ...toEstimateFields(await paymaster.stub(operation)) }
    },
  }
}

const givenSchema = z.object({ paymaster: address, paymasterData: bytes })

/** Returns the validity in paymaster data that the user may already have signed. */
function readGiven(
  { address: own, readValidity }: packedScheme.Parameters['paymaster'],
  userOperation: unknown,
): Validity | undefined {
  const { data } = givenSchema.safeParse(userOperation)
  if (!data || data.paymaster.toLowerCase() !== own?.toLowerCase()) return undefined
  return readValidity?.(data.paymasterData as Hex)
}

/**
 * Maximum seconds between the end of a client's validity period and the end of the period that the policy would grant
 * now.
 */
const givenAgeSeconds = 300

function isWithin(given: Validity, { validUntil, validAfter }: Validity): boolean {
  const isFresh = given.validUntil <= validUntil && given.validUntil >= validUntil - givenAgeSeconds
  return isFresh && given.validAfter <= validAfter
}

function describe(operation: PackedOperation, stub: PaymasterPart) {
  const { sender, nonce, callData, factory, factoryData, signature, eip7702Auth } = operation
  const creation = factory ? { factory, factoryData: factoryData ?? '0x' } : {}
  const delegation = eip7702Auth ? { eip7702Auth } : {}
  const draft = { sender, nonce: numberToHex(nonce), ...creation, ...delegation, callData, ...toEstimateFields(stub) }
  return {
    sender,
    nonce,
    callData,
    // A delegation deploys nothing.
    factory: factory === delegationFactory ? undefined : factory,
    estimateRequest: { ...draft, signature },
    quote: (estimate: unknown, fees: Fees) => ({ ...settleGas(estimate, fees, {}), ...quoteLimits(estimate, stub) }),
  }
}

/** Returns the estimated limits, but at least our own, since a client may reuse the limits of a stub. */
function quoteLimits(estimate: unknown, stub: PaymasterPart): PaymasterLimits {
  const estimated = settleLimits(estimate, stub, {})
  const own = readLimits({}, stub)
  const higher = (name: keyof PaymasterLimits) => (own[name] > estimated[name] ? own : estimated)[name]
  return {
    paymasterVerificationGasLimit: higher('paymasterVerificationGasLimit'),
    paymasterPostOpGasLimit: higher('paymasterPostOpGasLimit'),
  }
}

/** Omits the limits, which the bundler estimates, unless the paymaster sets them. */
function toEstimateFields(part: PaymasterPart): Record<string, Hex> {
  const { paymasterVerificationGasLimit: verification, paymasterPostOpGasLimit: postOp } = part
  return {
    ...toDataFields(part),
    ...(verification === undefined ? {} : { paymasterVerificationGasLimit: numberToHex(verification) }),
    ...(postOp === undefined ? {} : { paymasterPostOpGasLimit: numberToHex(postOp) }),
  }
}

function toFields(part: PaymasterPart, limits: PaymasterLimits) {
  return { ...toDataFields(part), ...toLimitFields(limits) } satisfies RequestPaymasterAndDataResult07
}

function toDataFields({ paymaster, paymasterData, paymasterSignature }: PaymasterPart) {
  return { paymaster, paymasterData, ...(paymasterSignature ? { paymasterSignature } : {}) }
}

export function toLimitFields(limits: PaymasterLimits): Record<keyof PaymasterLimits, Hex> {
  return {
    paymasterVerificationGasLimit: numberToHex(limits.paymasterVerificationGasLimit),
    paymasterPostOpGasLimit: numberToHex(limits.paymasterPostOpGasLimit),
  }
}

function toOperation(read: z.output<typeof operationSchema>, version: PackedVersion): PackedOperation {
  const { factory, factoryData, eip7702Auth } = read
  if (factory === delegationFactory) requireDelegate(version, eip7702Auth)
  return {
    sender: read.sender.toLowerCase() as Address,
    nonce: BigInt(read.nonce),
    callData: read.callData as Hex,
    signature: read.signature as Hex,
    ...(factory ? { factory: factory as Address, factoryData: (factoryData ?? '0x') as Hex } : {}),
    ...(eip7702Auth ? { eip7702Auth: eip7702Auth as Eip7702Auth } : {}),
  }
}

/** Refuses the factory `0x7702` on EntryPoint 0.7, and without the authorization that the operation's hash includes. */
function requireDelegate(version: PackedVersion, authorization: unknown): void {
  if (version === '0.7') throw noDelegationFactory()
  if (authorization) return
  const problem =
    'The factory 0x7702 needs the account’s authorization. Send eip7702Auth with it, or leave the factory out of an account that is delegated already.'
  throw new RpcError(problem, { code: errorCodes.REQUEST_INVALID, rpcCode: rpcCodes.invalidParams })
}

/** Returns the given limits if present, otherwise the paymaster's own. A zero verification limit counts as absent. */
function readLimits(read: z.output<typeof limitsSchema>, stub: PaymasterPart): PaymasterLimits {
  const verification = BigInt(read.paymasterVerificationGasLimit ?? 0)
  const own = stub.paymasterVerificationGasLimit ?? ownLimits.paymasterVerificationGasLimit
  const ownPostOp = stub.paymasterPostOpGasLimit ?? ownLimits.paymasterPostOpGasLimit
  return {
    paymasterVerificationGasLimit: verification === 0n ? own : verification,
    paymasterPostOpGasLimit: read.paymasterPostOpGasLimit ? BigInt(read.paymasterPostOpGasLimit) : ownPostOp,
  }
}

function settleLimits(estimate: unknown, stub: PaymasterPart, overrides: GasOverrides): PaymasterLimits {
  const limits = readLimits(parseResult(limitsSchema, estimate, 'a gas estimate'), stub)
  return requireBounded({
    paymasterVerificationGasLimit: applyOverride(
      limits.paymasterVerificationGasLimit,
      overrides.paymasterVerificationGasLimit,
    ),
    paymasterPostOpGasLimit: applyOverride(limits.paymasterPostOpGasLimit, overrides.paymasterPostOpGasLimit),
  })
}

function settle(
  { version, entryPoint, paymaster, chainId }: packedScheme.Parameters,
  operation: SettledPacked,
  validity: Validity,
): SettledSponsorship {
  return {
    gas: {
      ...pickGas(operation),
      paymasterVerificationGasLimit: operation.paymasterVerificationGasLimit,
      paymasterPostOpGasLimit: operation.paymasterPostOpGasLimit,
    },
    prefund: requiredPrefund(operation),
    gasFields: gasToHex(operation),
    async seal(context) {
      const part = await paymaster.sign(operation, validity, context)
      return {
        paymasterFields: toFields(part, operation),
        userOpHash: hashPackedOperation({
          version,
          chainId,
          entryPoint,
          operation: { ...operation, ...toDataFields(part), delegate: operation.eip7702Auth?.address },
        }),
      }
    },
  }
}

/** Computes `_getRequiredPrefund` of EntryPoint 0.7 and later. */
function requiredPrefund(gas: GasValues & PaymasterLimits): bigint {
  const total =
    gas.verificationGasLimit +
    gas.callGasLimit +
    gas.paymasterVerificationGasLimit +
    gas.paymasterPostOpGasLimit +
    gas.preVerificationGas
  return total * gas.maxFeePerGas
}

/** Returns the init code, with the delegate in place of the factory `0x7702`, as EntryPoint 0.8 and later hash it. */
export function toInitCode({ factory, factoryData, eip7702Auth }: PackedOperation): Hex {
  if (!factory) return '0x'
  const maker = factory === delegationFactory && eip7702Auth ? eip7702Auth.address : factory
  return concatHex([maker, factoryData ?? '0x'])
}

export function packGas(gas: GasValues & PaymasterLimits) {
  return {
    accountGasLimits: packPair(gas.verificationGasLimit, gas.callGasLimit),
    paymasterGasLimits: packPair(gas.paymasterVerificationGasLimit, gas.paymasterPostOpGasLimit),
    gasFees: packPair(gas.maxPriorityFeePerGas, gas.maxFeePerGas),
  }
}

function packPair(high: bigint, low: bigint): Hex {
  return concatHex([numberToHex(high, { size: 16 }), numberToHex(low, { size: 16 })])
}
