import type { GasOverrides, RequestGasAndPaymasterAndDataResult06 } from 'latchkey/wire'
import { type Address, concatHex, encodeAbiParameters, encodeFunctionData, type Hex, numberToHex, parseAbi } from 'viem'
import { getUserOperationHash } from 'viem/account-abstraction'
import { z } from 'zod'
import { maxFeePerGas } from '../fees/maxFeePerGas.ts'
import { applyOverride } from '../overrides/applyOverride.ts'
import { parseAnswer } from '../rpc/parseAnswer.ts'
import { parseParams } from '../rpc/parseParams.ts'
import { address, bytes, gasQuantity, quantity } from './quantities.ts'
import type { Fees, OpenSponsorship, PaymasterScheme, SettledSponsorship, Validity } from './types.ts'

const verifyingPaymasterAbi = parseAbi([
  'struct UserOperation { address sender; uint256 nonce; bytes initCode; bytes callData; uint256 callGasLimit; uint256 verificationGasLimit; uint256 preVerificationGas; uint256 maxFeePerGas; uint256 maxPriorityFeePerGas; bytes paymasterAndData; bytes signature; }',
  'function getHash(UserOperation userOp, uint48 validUntil, uint48 validAfter) view returns (bytes32)',
])

/**
 * Recoverable, since the paymaster's ECDSA library reverts on a malformed signature, and without a zero byte, so that
 * the estimate of preVerificationGas is never below what the real signature costs.
 */
const stubSignature: Hex =
  '0xf71f10f157894d333135030aa7670172c520476d37fa883c550123793ecf6652085fc747fe08df953d295a24df55cadbc36790ad11526cd4f19d655c0b6bbef01b'

/** As many non-zero bytes as real times, and always in force. */
const stubValidity: Validity = { validUntil: 0xffff_ffff_ffff, validAfter: 0x0101_0101 }

const operationSchema = z.object({
  sender: address,
  nonce: quantity,
  initCode: bytes.default('0x'),
  callData: bytes,
})

const estimateSchema = z.object({
  callGasLimit: gasQuantity,
  verificationGasLimit: gasQuantity,
  preVerificationGas: gasQuantity,
})

type Operation = { sender: Address; nonce: bigint; initCode: Hex; callData: Hex }

type GasValues = {
  callGasLimit: bigint
  verificationGasLimit: bigint
  preVerificationGas: bigint
  maxFeePerGas: bigint
  maxPriorityFeePerGas: bigint
}

export declare namespace scheme06 {
  type Parameters = { entryPoint: Address; paymaster: Address; chainId: number }
  type ReturnType = PaymasterScheme
}

/**
 * Sponsorship by a VerifyingPaymaster on EntryPoint 0.6. That contract counts the operations it paid for a sender, and
 * the digest holds the count: of two operations one sender has signed for at once, the later one mined is refused.
 */
export function scheme06(parameters: scheme06.Parameters): scheme06.ReturnType {
  const { entryPoint, paymaster } = parameters
  return {
    entryPoint,
    paymaster,
    open(userOperation, dummySignature): OpenSponsorship {
      const operation = readOperation(userOperation)
      return {
        sender: operation.sender,
        nonce: operation.nonce,
        estimateRequest: {
          sender: operation.sender,
          nonce: numberToHex(operation.nonce),
          initCode: operation.initCode,
          callData: operation.callData,
          paymasterAndData: encodePaymasterAndData(paymaster, stubValidity, stubSignature),
          signature: dummySignature,
        },
        settle: (estimate, fees, overrides, validity) =>
          settle(parameters, operation, settleGas(estimate, fees, overrides), validity),
      }
    },
  }
}

function readOperation(value: unknown): Operation {
  const read = parseParams(operationSchema, value, 'userOperation')
  return {
    sender: read.sender.toLowerCase() as Address,
    nonce: BigInt(read.nonce),
    initCode: read.initCode as Hex,
    callData: read.callData as Hex,
  }
}

function settleGas(estimate: unknown, fees: Fees, overrides: GasOverrides): GasValues {
  const gas = parseAnswer(estimateSchema, estimate, 'a gas estimate')
  const tip = applyOverride(fees.tip, overrides.maxPriorityFeePerGas)
  return {
    callGasLimit: applyOverride(BigInt(gas.callGasLimit), overrides.callGasLimit),
    verificationGasLimit: applyOverride(BigInt(gas.verificationGasLimit), overrides.verificationGasLimit),
    preVerificationGas: applyOverride(BigInt(gas.preVerificationGas), overrides.preVerificationGas),
    maxFeePerGas: applyOverride(maxFeePerGas(fees.baseFee, tip), overrides.maxFeePerGas),
    maxPriorityFeePerGas: tip,
  }
}

function settle(
  { entryPoint, paymaster, chainId }: scheme06.Parameters,
  operation: Operation,
  gas: GasValues,
  validity: Validity,
): SettledSponsorship {
  // `getHash` covers the calldata offsets too, so it must see paymasterAndData in its final length.
  const unsigned = encodePaymasterAndData(paymaster, validity, stubSignature)
  const userOp = { ...operation, ...gas, paymasterAndData: unsigned, signature: '0x' as Hex }
  return {
    prefund: requiredPrefund(gas),
    hashCallData: encodeFunctionData({
      abi: verifyingPaymasterAbi,
      functionName: 'getHash',
      args: [userOp, validity.validUntil, validity.validAfter],
    }),
    seal(signature) {
      const paymasterAndData = encodePaymasterAndData(paymaster, validity, signature)
      return {
        result: {
          paymasterAndData,
          callGasLimit: numberToHex(gas.callGasLimit),
          verificationGasLimit: numberToHex(gas.verificationGasLimit),
          preVerificationGas: numberToHex(gas.preVerificationGas),
          maxFeePerGas: numberToHex(gas.maxFeePerGas),
          maxPriorityFeePerGas: numberToHex(gas.maxPriorityFeePerGas),
        } satisfies RequestGasAndPaymasterAndDataResult06,
        userOpHash: getUserOperationHash({
          chainId,
          entryPointAddress: entryPoint,
          entryPointVersion: '0.6',
          userOperation: { ...userOp, paymasterAndData },
        }),
      }
    },
  }
}

/** EntryPoint 0.6 `_getRequiredPrefund`: with a paymaster, verification gas counts three times. */
function requiredPrefund(gas: GasValues): bigint {
  return (gas.callGasLimit + gas.verificationGasLimit * 3n + gas.preVerificationGas) * gas.maxFeePerGas
}

/** paymaster (20 bytes) ‖ abi.encode(uint48 validUntil, uint48 validAfter) ‖ signature (65 bytes). */
function encodePaymasterAndData(paymaster: Address, { validUntil, validAfter }: Validity, signature: Hex): Hex {
  const window = encodeAbiParameters([{ type: 'uint48' }, { type: 'uint48' }], [validUntil, validAfter])
  return concatHex([paymaster, window, signature])
}
