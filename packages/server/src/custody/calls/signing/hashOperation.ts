import type { IntentPayload } from 'latchkey-protocol'
import { type Address, type Hex, hashMessage, hexToBytes, isAddressEqual } from 'viem'
import {
  entryPoint06Address,
  entryPoint07Address,
  entryPoint08Address,
  entryPoint09Address,
  getUserOperationHash,
} from 'viem/account-abstraction'
import { z } from 'zod'
import { validate } from '../../../platform/http/requestBody.ts'
import { custodyError } from '../../custodyError.ts'

const text = (pattern: RegExp, message: string) =>
  z.custom<Hex>((value) => typeof value === 'string' && pattern.test(value), message)
const hex = text(/^0x(?:[0-9a-fA-F]{2})*$/, 'must be hex with 0x and an even number of digits')
const address = text(/^0x[0-9a-fA-F]{40}$/, 'must be an address, 0x and 40 hex digits')
const quantity = text(/^0x(?:0|[1-9a-fA-F][0-9a-fA-F]{0,63})$/, 'must be a quantity in hex, such as 0x1f').transform(
  BigInt,
)

const common = {
  sender: address,
  nonce: quantity,
  callData: hex,
  callGasLimit: quantity,
  verificationGasLimit: quantity,
  preVerificationGas: quantity,
  maxFeePerGas: quantity,
  maxPriorityFeePerGas: quantity,
  /** No part of the hash. */
  signature: hex.default('0x'),
}
const operation06 = z.strictObject({ ...common, initCode: hex, paymasterAndData: hex })
const operation07 = z.strictObject({
  ...common,
  factory: address.optional(),
  factoryData: hex.optional(),
  paymaster: address.optional(),
  paymasterData: hex.optional(),
  paymasterVerificationGasLimit: quantity.optional(),
  paymasterPostOpGasLimit: quantity.optional(),
})

type Signed = { digest: Hex; sender: Address; callData: Hex }

/** Accounts of EntryPoint 0.6 and 0.7 check the EIP-191 hash of the operation's hash. */
const toPersonal = (hash: Hex) => hashMessage({ raw: hash })

function hash06(chainId: number, operation: unknown): Signed {
  const userOperation = validate(operation06, operation, 'user operation')
  const entryPoint = { entryPointAddress: entryPoint06Address, entryPointVersion: '0.6' } as const
  const hash = getUserOperationHash<'0.6'>({ ...entryPoint, chainId, userOperation })
  return { ...userOperation, digest: toPersonal(hash) }
}

function hash07(chainId: number, operation: unknown): Signed {
  const userOperation = validate(operation07, operation, 'user operation')
  const entryPoint = { entryPointAddress: entryPoint07Address, entryPointVersion: '0.7' } as const
  const hash = getUserOperationHash<'0.7'>({ ...entryPoint, chainId, userOperation })
  return { ...userOperation, digest: toPersonal(hash) }
}

/** From 0.8 on the hash is that of typed data, which accounts check as it is. */
const hashTyped =
  (entryPointVersion: '0.8' | '0.9', entryPointAddress: Address) =>
  (chainId: number, operation: unknown): Signed => {
    const userOperation = validate(operation07, operation, 'user operation')
    const entryPoint = { entryPointAddress, entryPointVersion }
    return {
      ...userOperation,
      digest: getUserOperationHash<'0.8'>({ ...entryPoint, chainId, userOperation }),
    }
  }

const hashers = [
  { address: entryPoint06Address, hash: hash06 },
  { address: entryPoint07Address, hash: hash07 },
  { address: entryPoint08Address, hash: hashTyped('0.8', entryPoint08Address) },
  { address: entryPoint09Address, hash: hashTyped('0.9', entryPoint09Address) },
]

const envelopeSchema = z.strictObject({ chainId: z.int().min(1), entryPoint: address, operation: z.unknown() })

/**
 * Returns the digest that an account's owner signs for a user operation (ERC-4337), computed from the operation itself.
 *
 * @throws `REQUEST_INVALID`.
 */
export function hashOperation(json: unknown): { digest: Uint8Array; content: IntentPayload } {
  const { chainId, entryPoint, operation } = validate(envelopeSchema, json, 'user operation')
  const hasher = hashers.find((one) => isAddressEqual(one.address, entryPoint))
  if (!hasher)
    throw custodyError('REQUEST_INVALID', `${entryPoint} is not the EntryPoint of version 0.6, 0.7, 0.8 or 0.9.`)
  const { digest, sender, callData } = hasher.hash(chainId, operation)
  return { digest: hexToBytes(digest), content: { kind: 'operation', sender, callData } }
}
