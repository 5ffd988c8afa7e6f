import type { RequestPaymasterAndDataResult06 } from 'latchkey/wire'
import { type Address, concatHex, encodeFunctionData, type Hex, numberToHex, parseAbi } from 'viem'
import { getUserOperationHash } from 'viem/account-abstraction'
import { z } from 'zod'
import { address, bytes, parseParams, quantity } from '../rpc/values.ts'
import { filledGasShape, type GasValues, gasToHex, readGas, settleGas } from './gasValues.ts'
import {
  type PaymasterScheme,
  paymasterWindow,
  type SettledSponsorship,
  stubSignature,
  stubValidity,
  type Validity,
} from './PaymasterScheme.ts'

const verifyingPaymasterAbi = parseAbi([
  'struct UserOperation { address sender; uint256 nonce; bytes initCode; bytes callData; uint256 callGasLimit; uint256 verificationGasLimit; uint256 preVerificationGas; uint256 maxFeePerGas; uint256 maxPriorityFeePerGas; bytes paymasterAndData; bytes signature; }',
  'function getHash(UserOperation userOp, uint48 validUntil, uint48 validAfter) view returns (bytes32)',
])

const operationSchema = z.object({
  sender: address,
  nonce: quantity,
  initCode: bytes.default('0x'),
  callData: bytes,
})
const filledSchema = operationSchema.extend(filledGasShape)

type Operation = { sender: Address; nonce: bigint; initCode: Hex; callData: Hex }

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
  const stub = concatHex([paymaster, paymasterWindow(stubValidity, stubSignature)])
  return {
    entryPoint,
    paymaster,
    open(userOperation, dummySignature) {
      const operation = toOperation(parseParams(operationSchema, userOperation, 'userOperation'))
      return {
        sender: operation.sender,
        nonce: operation.nonce,
        estimateRequest: {
          sender: operation.sender,
          nonce: numberToHex(operation.nonce),
          initCode: operation.initCode,
          callData: operation.callData,
          paymasterAndData: stub,
          signature: dummySignature,
        },
        settle: (estimate, fees, overrides, validity) =>
          settle(parameters, operation, settleGas(estimate, fees, overrides), validity),
      }
    },
    openFilled(userOperation) {
      const read = parseParams(filledSchema, userOperation, 'userOperation')
      const operation = toOperation(read)
      const { sender, nonce } = operation
      return { sender, nonce, settle: (validity) => settle(parameters, operation, readGas(read), validity) }
    },
    withStub(userOperation) {
      const { paymasterAndData } = userOperation
      const isOurs =
        typeof paymasterAndData === 'string' && paymasterAndData.toLowerCase().startsWith(paymaster.toLowerCase())
      return isOurs ? { ...userOperation, paymasterAndData: stub } : userOperation
    },
  }
}

function toOperation(read: z.output<typeof operationSchema>): Operation {
  return {
    sender: read.sender.toLowerCase() as Address,
    nonce: BigInt(read.nonce),
    initCode: read.initCode as Hex,
    callData: read.callData as Hex,
  }
}

function settle(
  { entryPoint, paymaster, chainId }: scheme06.Parameters,
  operation: Operation,
  gas: GasValues,
  validity: Validity,
): SettledSponsorship {
  const sealed = (signature: Hex) => concatHex([paymaster, paymasterWindow(validity, signature)])
  // `getHash` covers the calldata offsets too, so it must see paymasterAndData in its final length.
  const userOp = { ...operation, ...gas, paymasterAndData: sealed(stubSignature), signature: '0x' as Hex }
  return {
    prefund: requiredPrefund(gas),
    hashCallData: encodeFunctionData({
      abi: verifyingPaymasterAbi,
      functionName: 'getHash',
      args: [userOp, validity.validUntil, validity.validAfter],
    }),
    gasFields: gasToHex(gas),
    seal(signature) {
      const paymasterAndData = sealed(signature)
      return {
        paymasterFields: { paymasterAndData } satisfies RequestPaymasterAndDataResult06,
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
