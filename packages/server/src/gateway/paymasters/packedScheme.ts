import type { GasOverrides, RequestPaymasterAndDataResult07 } from 'latchkey-protocol'
import { type Address, concatHex, type Hex, numberToHex } from 'viem'
import { getUserOperationHash } from 'viem/account-abstraction'
import { z } from 'zod'
import { address, bytes, gasQuantity, parseParams, parseResult, quantity } from '../rpc/values.ts'
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
 * Gas for the paymaster's own part when it was not estimated. Checking one signature takes about 15 000; the rest is
 * for chains where storage or calls cost more. The paymaster keeps no state, so there is no post-operation call.
 */
const ownLimits: PaymasterLimits = { paymasterVerificationGasLimit: 60_000n, paymasterPostOpGasLimit: 0n }

export const operationSchema = z
  .object({
    sender: address,
    nonce: quantity,
    factory: address.optional(),
    factoryData: bytes.optional(),
    callData: bytes,
    signature: bytes.default('0x'),
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

/** An operation of EntryPoint 0.7 with a dummy signature in the format of the real one. */
export type Operation07 = {
  sender: Address
  nonce: bigint
  callData: Hex
  factory?: Address
  factoryData?: Hex
  signature: Hex
}
export type Settled07 = Operation07 & GasValues & PaymasterLimits
type PaymasterLimits = { paymasterVerificationGasLimit: bigint; paymasterPostOpGasLimit: bigint }

export declare namespace scheme07 {
  type Parameters = { entryPoint: Address; chainId: number; paymaster: Paymaster<Operation07, Settled07> }
  type ReturnType = PaymasterScheme
}

/** Creates the sponsorship scheme of EntryPoint 0.7. */
export function scheme07(parameters: scheme07.Parameters): scheme07.ReturnType {
  const { entryPoint, paymaster } = parameters
  return {
    entryPoint,
    paymaster: paymaster.address,
    async open(userOperation, dummySignature) {
      const read = parseParams(operationSchema, userOperation, 'userOperation')
      const operation = { ...toOperation(read), signature: dummySignature }
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
      const operation = toOperation(read)
      const stub = await paymaster.stub(operation)
      const settled = { ...operation, ...readGas(read), ...readLimits(read, stub) }
      return {
        ...describe(operation, stub),
        settle: (validity) => settle(parameters, settled, validity),
      }
    },
    async stub(userOperation) {
      const operation = toOperation(parseParams(operationSchema, userOperation, 'userOperation'))
      const part = await paymaster.stub(operation)
      return toFields(part, readLimits({}, part))
    },
    async withStub(userOperation) {
      const { paymaster: payer, paymasterData } = userOperation
      const isOurs = typeof payer === 'string' && payer.toLowerCase() === paymaster.address?.toLowerCase()
      const isDummy = typeof paymasterData === 'string' && paymasterData.toLowerCase() === documentedDummy
      if (!isOurs && !isDummy) return userOperation
      const operation = toOperation(parseParams(operationSchema, userOperation, 'userOperation'))
      return { ...userOperation, ...toEstimateFields(await paymaster.stub(operation)) }
    },
  }
}

/** Describes the parts of an operation that do not depend on its gas. */
function describe(operation: Operation07, stub: PaymasterPart) {
  const { sender, nonce, callData, factory, factoryData, signature } = operation
  const creation = factory ? { factory, factoryData: factoryData ?? '0x' } : {}
  const draft = { sender, nonce: numberToHex(nonce), ...creation, callData, ...toEstimateFields(stub) }
  return {
    sender,
    nonce,
    callData,
    factory,
    estimateRequest: { ...draft, signature },
    quote: (estimate: unknown, fees: Fees) => ({ ...settleGas(estimate, fees, {}), ...quoteLimits(estimate, stub) }),
  }
}

/** Returns the estimated limits, at least our own: a client that got those in a stub may keep them. */
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
    paymaster: part.paymaster,
    paymasterData: part.paymasterData,
    ...(verification === undefined ? {} : { paymasterVerificationGasLimit: numberToHex(verification) }),
    ...(postOp === undefined ? {} : { paymasterPostOpGasLimit: numberToHex(postOp) }),
  }
}

function toFields({ paymaster, paymasterData }: PaymasterPart, limits: PaymasterLimits) {
  return {
    paymaster,
    paymasterData,
    ...toLimitFields(limits),
  } satisfies RequestPaymasterAndDataResult07
}

export function toLimitFields(limits: PaymasterLimits): Record<keyof PaymasterLimits, Hex> {
  return {
    paymasterVerificationGasLimit: numberToHex(limits.paymasterVerificationGasLimit),
    paymasterPostOpGasLimit: numberToHex(limits.paymasterPostOpGasLimit),
  }
}

function toOperation(read: z.output<typeof operationSchema>): Operation07 {
  const { factory, factoryData } = read
  return {
    sender: read.sender.toLowerCase() as Address,
    nonce: BigInt(read.nonce),
    callData: read.callData as Hex,
    signature: read.signature as Hex,
    ...(factory ? { factory: factory as Address, factoryData: (factoryData ?? '0x') as Hex } : {}),
  }
}

/**
 * Returns the given limits if present, otherwise the paymaster's own. A verification limit of zero counts as absent.
 */
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
  { entryPoint, paymaster, chainId }: scheme07.Parameters,
  operation: Settled07,
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
      const { paymaster: payer, paymasterData } = part
      return {
        paymasterFields: toFields(part, operation),
        userOpHash: getUserOperationHash({
          chainId,
          entryPointAddress: entryPoint,
          entryPointVersion: '0.7',
          userOperation: { ...operation, paymaster: payer, paymasterData, signature: '0x' },
        }),
      }
    },
  }
}

/** Returns EntryPoint 0.7 `_getRequiredPrefund`. */
function requiredPrefund(gas: GasValues & PaymasterLimits): bigint {
  const total =
    gas.verificationGasLimit +
    gas.callGasLimit +
    gas.paymasterVerificationGasLimit +
    gas.paymasterPostOpGasLimit +
    gas.preVerificationGas
  return total * gas.maxFeePerGas
}

/* Packing of operations for EntryPoint 0.7. */

export function toInitCode({ factory, factoryData }: Operation07): Hex {
  return factory ? concatHex([factory, factoryData ?? '0x']) : '0x'
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
