import { type Address, type Hex, size, slice } from 'viem'
import {
  entryPoint06Address,
  entryPoint07Address,
  entryPoint08Address,
  entryPoint09Address,
  getUserOperationHash,
} from 'viem/account-abstraction'
import { z } from 'zod'
import type { OperationKey } from '../../store/operations.ts'
import { address, bytes, delegationFactory, factoryAddress, quantity } from '../rpc/values.ts'
import { hashPackedOperation, type PackedVersion } from './hashPackedOperation.ts'

const common = {
  sender: address,
  nonce: quantity,
  callData: bytes,
  callGasLimit: quantity,
  verificationGasLimit: quantity,
  preVerificationGas: quantity,
  maxFeePerGas: quantity,
  maxPriorityFeePerGas: quantity,
  signature: bytes,
}
const schema06 = z.object({ ...common, initCode: bytes, paymasterAndData: bytes })
const packedSchema = z.object({
  ...common,
  factory: factoryAddress.nullish(),
  factoryData: bytes.nullish(),
  paymaster: address.nullish(),
  paymasterVerificationGasLimit: quantity.nullish(),
  paymasterPostOpGasLimit: quantity.nullish(),
  paymasterData: bytes.nullish(),
  paymasterSignature: bytes.nullish(),
  eip7702Auth: z.object({ address }).nullish(),
})
const packedEntryPoints: readonly { version: PackedVersion; entryPoint: Address }[] = [
  { version: '0.7', entryPoint: entryPoint07Address },
  { version: '0.8', entryPoint: entryPoint08Address },
  { version: '0.9', entryPoint: entryPoint09Address },
]

/**
 * Returns the key of a complete operation with its ERC-4337 hash; undefined for a malformed operation, which the
 * bundler refuses.
 */
export function readUserOperation(chainId: number, params: unknown): OperationKey | undefined {
  if (!Array.isArray(params) || typeof params[1] !== 'string') return undefined
  const entryPoint = params[1].toLowerCase()
  try {
    if (entryPoint === entryPoint06Address.toLowerCase()) return read06(chainId, schema06.parse(params[0]))
    const packed = packedEntryPoints.find((each) => each.entryPoint.toLowerCase() === entryPoint)
    if (packed) return readPacked(chainId, packed, packedSchema.parse(params[0]))
  } catch {
    // Fields are missing, or too large for the packed form.
  }
  return undefined
}

function read06(chainId: number, operation: z.output<typeof schema06>): OperationKey {
  const { initCode, paymasterAndData } = operation
  const userOpHash = getUserOperationHash({
    chainId,
    entryPointAddress: entryPoint06Address,
    entryPointVersion: '0.6',
    userOperation: {
      ...toNumbers(operation),
      initCode: initCode as Hex,
      paymasterAndData: paymasterAndData as Hex,
    },
  })
  const paymaster = size(paymasterAndData as Hex) < 20 ? null : slice(paymasterAndData as Hex, 0, 20)
  return toKey(chainId, entryPoint06Address, operation, { userOpHash, paymaster })
}

function readPacked(
  chainId: number,
  { version, entryPoint }: (typeof packedEntryPoints)[number],
  operation: z.output<typeof packedSchema>,
): OperationKey | undefined {
  const { factory, factoryData, paymaster, paymasterData, paymasterSignature, eip7702Auth } = operation
  // The hash includes the delegate. If the operation has no authorization, the delegate can be read only from the
  // chain.
  if (factory === delegationFactory && !eip7702Auth) return undefined
  const userOpHash = hashPackedOperation({
    version,
    chainId,
    entryPoint,
    operation: {
      ...toNumbers(operation),
      delegate: eip7702Auth?.address as Address | undefined,
      ...(factory ? { factory: factory as Address, factoryData: (factoryData ?? '0x') as Hex } : {}),
      ...(paymaster
        ? {
            paymaster: paymaster as Address,
            paymasterData: (paymasterData ?? '0x') as Hex,
            paymasterVerificationGasLimit: BigInt(operation.paymasterVerificationGasLimit ?? 0),
            paymasterPostOpGasLimit: BigInt(operation.paymasterPostOpGasLimit ?? 0),
            ...(version === '0.9' && paymasterSignature ? { paymasterSignature: paymasterSignature as Hex } : {}),
          }
        : {}),
    },
  })
  return toKey(chainId, entryPoint, operation, { userOpHash, paymaster: paymaster ?? null })
}

type Common = z.output<z.ZodObject<typeof common>>

function toKey(
  chainId: number,
  entryPoint: Address,
  { sender, nonce }: Common,
  named: Pick<OperationKey, 'userOpHash' | 'paymaster'>,
): OperationKey {
  return { ...named, chainId, entryPoint, sender, nonce: BigInt(nonce) }
}

function toNumbers(operation: Common) {
  return {
    sender: operation.sender as Address,
    nonce: BigInt(operation.nonce),
    callData: operation.callData as Hex,
    callGasLimit: BigInt(operation.callGasLimit),
    verificationGasLimit: BigInt(operation.verificationGasLimit),
    preVerificationGas: BigInt(operation.preVerificationGas),
    maxFeePerGas: BigInt(operation.maxFeePerGas),
    maxPriorityFeePerGas: BigInt(operation.maxPriorityFeePerGas),
    signature: operation.signature as Hex,
  }
}
