import type { GasOverrides, RequestPaymasterAndDataResult07 } from 'latchkey/wire'
import { type Address, encodeFunctionData, type Hex, numberToHex, parseAbi } from 'viem'
import { getUserOperationHash, toPackedUserOperation, type UserOperation } from 'viem/account-abstraction'
import { z } from 'zod'
import { address, bytes, gasQuantity, parseParams, parseResult, quantity } from '../rpc/values.ts'
import {
  applyOverride,
  filledGasShape,
  type GasValues,
  gasToHex,
  readGas,
  requireBounded,
  settleGas,
} from './gasValues.ts'
import {
  type PaymasterScheme,
  paymasterWindow,
  type SettledSponsorship,
  stubSignature,
  stubValidity,
  type Validity,
} from './PaymasterScheme.ts'

const verifyingPaymasterAbi = parseAbi([
  'struct PackedUserOperation { address sender; uint256 nonce; bytes initCode; bytes callData; bytes32 accountGasLimits; uint256 preVerificationGas; bytes32 gasFees; bytes paymasterAndData; bytes signature; }',
  'function getHash(PackedUserOperation userOp, uint48 validUntil, uint48 validAfter) view returns (bytes32)',
])

/**
 * Gas for the paymaster's own part where it was not estimated. Checking one signature takes some 15 000; the rest is for
 * chains where storage or calls cost more. It keeps no state, so nothing runs after the operation.
 */
const paymasterLimits: PaymasterLimits = { paymasterVerificationGasLimit: 60_000n, paymasterPostOpGasLimit: 0n }

const operationSchema = z
  .object({
    sender: address,
    nonce: quantity,
    factory: address.optional(),
    factoryData: bytes.optional(),
    callData: bytes,
  })
  .refine(({ factory, factoryData }) => (factory === undefined) === (factoryData === undefined), {
    error: 'factory and factoryData go together',
    path: ['factory'],
  })
const limitsSchema = z.object({
  paymasterVerificationGasLimit: gasQuantity.optional(),
  paymasterPostOpGasLimit: gasQuantity.optional(),
})
const filledSchema = z.intersection(operationSchema, limitsSchema.extend(filledGasShape))

type Operation = { sender: Address; nonce: bigint; callData: Hex; factory?: Address; factoryData?: Hex }
type PaymasterLimits = { paymasterVerificationGasLimit: bigint; paymasterPostOpGasLimit: bigint }

export declare namespace scheme07 {
  type Parameters = { entryPoint: Address; paymaster: Address; chainId: number }
  type ReturnType = PaymasterScheme
}

/** Sponsorship by a VerifyingPaymaster on EntryPoint 0.7. */
export function scheme07(parameters: scheme07.Parameters): scheme07.ReturnType {
  const { entryPoint, paymaster } = parameters
  const stub = { paymaster, paymasterData: paymasterWindow(stubValidity, stubSignature) }
  return {
    entryPoint,
    paymaster,
    open(userOperation, dummySignature) {
      const operation = toOperation(parseParams(operationSchema, userOperation, 'userOperation'))
      const { sender, nonce, ...rest } = operation
      return {
        sender,
        nonce,
        estimateRequest: { sender, nonce: numberToHex(nonce), ...rest, ...stub, signature: dummySignature },
        settle: (estimate, fees, overrides, validity) => {
          const limits = settleLimits(estimate, overrides)
          return settle(parameters, operation, { ...settleGas(estimate, fees, overrides), ...limits }, validity)
        },
      }
    },
    openFilled(userOperation) {
      const read = parseParams(filledSchema, userOperation, 'userOperation')
      const operation = toOperation(read)
      const gas = { ...readGas(read), ...readLimits(read) }
      const { sender, nonce } = operation
      return { sender, nonce, settle: (validity) => settle(parameters, operation, gas, validity) }
    },
    withStub(userOperation) {
      const given = userOperation.paymaster
      const isOurs = typeof given === 'string' && given.toLowerCase() === paymaster.toLowerCase()
      return isOurs ? { ...userOperation, ...stub } : userOperation
    },
  }
}

function toOperation(read: z.output<typeof operationSchema>): Operation {
  const { factory, factoryData } = read
  return {
    sender: read.sender.toLowerCase() as Address,
    nonce: BigInt(read.nonce),
    callData: read.callData as Hex,
    ...(factory === undefined ? {} : { factory: factory as Address, factoryData: factoryData as Hex }),
  }
}

/** The given limits, where there are any; a verification limit of zero is none. */
function readLimits(read: z.output<typeof limitsSchema>): PaymasterLimits {
  const verification = BigInt(read.paymasterVerificationGasLimit ?? 0)
  return {
    paymasterVerificationGasLimit: verification === 0n ? paymasterLimits.paymasterVerificationGasLimit : verification,
    paymasterPostOpGasLimit: BigInt(read.paymasterPostOpGasLimit ?? paymasterLimits.paymasterPostOpGasLimit),
  }
}

function settleLimits(estimate: unknown, overrides: GasOverrides): PaymasterLimits {
  const limits = readLimits(parseResult(limitsSchema, estimate, 'a gas estimate'))
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
  operation: Operation,
  gas: GasValues & PaymasterLimits,
  validity: Validity,
): SettledSponsorship {
  const paymasterData = paymasterWindow(validity, stubSignature)
  const userOp: UserOperation<'0.7'> = { ...operation, ...gas, paymaster, paymasterData, signature: '0x' }
  return {
    prefund: requiredPrefund(gas),
    hashCallData: encodeFunctionData({
      abi: verifyingPaymasterAbi,
      functionName: 'getHash',
      args: [toPackedUserOperation(userOp), validity.validUntil, validity.validAfter],
    }),
    gasFields: gasToHex(gas),
    seal(signature) {
      const sealed = paymasterWindow(validity, signature)
      return {
        paymasterFields: {
          paymaster,
          paymasterData: sealed,
          paymasterVerificationGasLimit: numberToHex(gas.paymasterVerificationGasLimit),
          paymasterPostOpGasLimit: numberToHex(gas.paymasterPostOpGasLimit),
        } satisfies RequestPaymasterAndDataResult07,
        userOpHash: getUserOperationHash({
          chainId,
          entryPointAddress: entryPoint,
          entryPointVersion: '0.7',
          userOperation: { ...userOp, paymasterData: sealed },
        }),
      }
    },
  }
}

/** EntryPoint 0.7 `_getRequiredPrefund`. */
function requiredPrefund(gas: GasValues & PaymasterLimits): bigint {
  const total =
    gas.verificationGasLimit +
    gas.callGasLimit +
    gas.paymasterVerificationGasLimit +
    gas.paymasterPostOpGasLimit +
    gas.preVerificationGas
  return total * gas.maxFeePerGas
}
