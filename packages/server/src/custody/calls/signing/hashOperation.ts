import { keccak_256 } from '@noble/hashes/sha3.js'
import type { IntentPayload } from 'latchkey-protocol'
import { type Address, type Hex, hashTypedData } from 'viem'
import {
  entryPoint06Address,
  entryPoint07Address,
  entryPoint08Address,
  entryPoint09Address,
  getUserOperationTypedData,
} from 'viem/account-abstraction'
import { z } from 'zod'
import { validate } from '../../../platform/http/requestBody.ts'
import { custodyError } from '../../custodyError.ts'
import type { Charged } from './listSpends.ts'

const text = (pattern: RegExp, message: string) =>
  z.custom<Hex>((value) => typeof value === 'string' && pattern.test(value), message)
const hex = text(/^0x(?:[0-9a-fA-F]{2})*$/, 'must be hex with 0x and an even number of digits')
const address = text(/^0x[0-9a-fA-F]{40}$/, 'must be an address, 0x and 40 hex digits')
const uint256 = text(/^0x(?:0|[1-9a-fA-F][0-9a-fA-F]{0,63})$/, 'must be a quantity in hex, such as 0x1f').transform(
  BigInt,
)
const uint128 = text(/^0x(?:0|[1-9a-fA-F][0-9a-fA-F]{0,31})$/, 'must be a quantity in hex below 2^128').transform(
  BigInt,
)

const common = {
  sender: address,
  nonce: uint256,
  callData: hex,
  /** Not part of the hash. */
  signature: hex.default('0x'),
}
const operation06 = z.strictObject({
  ...common,
  initCode: hex,
  callGasLimit: uint256,
  verificationGasLimit: uint256,
  preVerificationGas: uint256,
  maxFeePerGas: uint256,
  maxPriorityFeePerGas: uint256,
  paymasterAndData: hex,
})
const operation07 = z.strictObject({
  ...common,
  factory: address.optional(),
  factoryData: hex.optional(),
  callGasLimit: uint128,
  verificationGasLimit: uint128,
  preVerificationGas: uint256,
  maxFeePerGas: uint128,
  maxPriorityFeePerGas: uint128,
  paymaster: address.optional(),
  paymasterData: hex.optional(),
  paymasterVerificationGasLimit: uint128.optional(),
  paymasterPostOpGasLimit: uint128.optional(),
})

/** `fee`: maximum that the account itself pays, in wei. */
type Signed = { digest: Uint8Array; sender: Address; callData: Hex; fee: bigint }

// Encodes operations of EntryPoint 0.6 and 0.7 directly, since a general ABI encoder would need most of a request's
// time.

const toBytes = (...parts: readonly string[]) =>
  Buffer.from(parts.map((part) => part.replace('0x', '')).join(''), 'hex')
const hash = (data: string) => Buffer.from(keccak_256(toBytes(data))).toString('hex')
const word = (value: bigint, digits = 64) => value.toString(16).padStart(digits, '0')
const half = (value: bigint) => word(value, 32)
const toWord = (sender: Address) => sender.slice(2).padStart(64, '0')

/** Returns the EIP-191 hash of an operation's hash, which accounts of EntryPoint 0.6 and 0.7 check. */
function toPersonal(chainId: number, entryPoint: Address, encoded: readonly string[]): Uint8Array {
  const inner = keccak_256(toBytes(...encoded))
  const outer = keccak_256(Buffer.concat([inner, toBytes(toWord(entryPoint), word(BigInt(chainId)))]))
  return keccak_256(Buffer.concat([Buffer.from('\u0019Ethereum Signed Message:\n32'), outer]))
}

function hash06(chainId: number, given: unknown): Signed {
  const { sender, callData, ...rest } = validate(operation06, given, 'user operation')
  const { callGasLimit, verificationGasLimit, preVerificationGas, maxFeePerGas, maxPriorityFeePerGas } = rest
  const gas = [callGasLimit, verificationGasLimit, preVerificationGas, maxFeePerGas, maxPriorityFeePerGas]
  const encoded = [
    toWord(sender),
    word(rest.nonce),
    hash(rest.initCode),
    hash(callData),
    ...gas.map((value) => word(value)),
    hash(rest.paymasterAndData),
  ]
  const isPaid = rest.paymasterAndData !== '0x'
  const fee = isPaid ? 0n : (callGasLimit + verificationGasLimit + preVerificationGas) * maxFeePerGas
  return { sender, callData, fee, digest: toPersonal(chainId, entryPoint06Address, encoded) }
}

function hash07(chainId: number, given: unknown): Signed {
  const { sender, callData, ...rest } = validate(operation07, given, 'user operation')
  const { factory, factoryData = '0x', paymaster, paymasterData = '0x' } = rest
  const { paymasterVerificationGasLimit = 0n, paymasterPostOpGasLimit = 0n } = rest
  const paymasterAndData = paymaster
    ? [paymaster, half(paymasterVerificationGasLimit), half(paymasterPostOpGasLimit), paymasterData.slice(2)].join('')
    : '0x'
  const encoded = [
    toWord(sender),
    word(rest.nonce),
    hash(factory ? `${factory}${factoryData.slice(2)}` : '0x'),
    hash(callData),
    half(rest.verificationGasLimit),
    half(rest.callGasLimit),
    word(rest.preVerificationGas),
    half(rest.maxPriorityFeePerGas),
    half(rest.maxFeePerGas),
    hash(paymasterAndData),
  ]
  return { sender, callData, fee: toFee(rest), digest: toPersonal(chainId, entryPoint07Address, encoded) }
}

type Gas = Pick<
  z.output<typeof operation07>,
  'paymaster' | 'callGasLimit' | 'verificationGasLimit' | 'preVerificationGas' | 'maxFeePerGas'
>

function toFee({ paymaster, callGasLimit, verificationGasLimit, preVerificationGas, maxFeePerGas }: Gas): bigint {
  return paymaster ? 0n : (callGasLimit + verificationGasLimit + preVerificationGas) * maxFeePerGas
}

/** From EntryPoint 0.8 on, the hash is an EIP-712 hash, which accounts check without an EIP-191 prefix. */
const hashTyped =
  (entryPointAddress: Address) =>
  (chainId: number, given: unknown): Signed => {
    const userOperation = validate(operation07, given, 'user operation')
    const { sender, callData } = userOperation
    const typedData = getUserOperationTypedData({ chainId, entryPointAddress, userOperation })
    return { sender, callData, fee: toFee(userOperation), digest: toBytes(hashTypedData(typedData)) }
  }

const hashers: ReadonlyMap<string, (chainId: number, operation: unknown) => Signed> = new Map([
  [entryPoint06Address.toLowerCase(), hash06],
  [entryPoint07Address.toLowerCase(), hash07],
  [entryPoint08Address.toLowerCase(), hashTyped(entryPoint08Address)],
  [entryPoint09Address.toLowerCase(), hashTyped(entryPoint09Address)],
])

const envelopeSchema = z.strictObject({ chainId: z.int().min(1), entryPoint: address, operation: z.unknown() })

/**
 * Returns the digest that an account's owner signs for a user operation (ERC-4337), computed from the operation itself.
 *
 * @throws `REQUEST_INVALID`.
 */
export function hashOperation(json: unknown): Charged & { digest: Uint8Array; content: IntentPayload } {
  const { chainId, entryPoint, operation } = validate(envelopeSchema, json, 'user operation')
  const hasher = hashers.get(entryPoint.toLowerCase())
  if (!hasher)
    throw custodyError('REQUEST_INVALID', `${entryPoint} is not the EntryPoint of version 0.6, 0.7, 0.8 or 0.9.`)
  const { digest, sender, callData, fee } = hasher(chainId, operation)
  return { digest, content: { kind: 'operation', sender, callData }, chainId, fee }
}
