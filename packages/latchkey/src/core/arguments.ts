import { type Address, type Chain, getAddress, type Hex, isAddress, isHash, isHex } from 'viem'
import { BaseError } from './errors/BaseError.ts'

// Each check returns the value that it accepts. `what` is the subject of the error message.

/**
 * Returns an address in EIP-55 form. Accepts any letter case.
 *
 * @throws `ADDRESS_INVALID`.
 */
export function requireAddress(value: Address): Address {
  if (isAddress(value, { strict: false })) return getAddress(value)
  throw new BaseError(`${value} is not an address.`, {
    code: 'ADDRESS_INVALID',
    metaMessages: ['Pass 0x and 40 hexadecimal digits.'],
  })
}

/**
 * Checks that a hex value contains whole bytes, at least `atLeast`.
 *
 * @throws `ARGUMENT_INVALID`.
 */
export function requireBytes(what: string, value: Hex, atLeast = 0): Hex {
  // viem's `isHex` also accepts an odd number of digits and characters that are not hex.
  if (isHex(value) && value.length % 2 === 0 && value.length >= 2 + 2 * atLeast) return value
  throw new BaseError(`${what} is not valid hex.`, {
    code: 'ARGUMENT_INVALID',
    metaMessages: [`Pass 0x and two hexadecimal digits per byte${atLeast ? `, ${atLeast} bytes at least` : ''}.`],
  })
}

/**
 * Checks that a hex value contains exactly `bytes` bytes.
 *
 * @throws `ARGUMENT_INVALID`.
 */
export function requireExactBytes(what: string, value: Hex, bytes: number): Hex {
  if (requireBytes(what, value, bytes).length === 2 + 2 * bytes) return value
  throw new BaseError(`${what} is longer than ${bytes} bytes.`, {
    code: 'ARGUMENT_INVALID',
    metaMessages: [`Pass 0x and ${2 * bytes} hexadecimal digits.`],
  })
}

/**
 * Returns the chain of a client.
 *
 * @throws `CHAIN_NOT_FOUND`.
 */
export function requireChain(client: { chain?: Chain | undefined } | undefined): Chain {
  if (client?.chain) return client.chain
  throw new BaseError('No chain supplied to the client', {
    code: 'CHAIN_NOT_FOUND',
    metaMessages: ['Pass `client`: a viem client made with a `chain`.'],
    name: 'ChainNotFoundError',
  })
}

/**
 * Checks for a 32-byte hash: contracts reject signatures over data of any other length.
 *
 * @throws `ARGUMENT_INVALID`.
 */
export function requireHash(value: Hex): Hex {
  if (isHash(value)) return value
  throw new BaseError(`${value} is not a hash.`, {
    code: 'ARGUMENT_INVALID',
    metaMessages: ['Pass 0x and 64 hexadecimal digits, such as viem’s `hashMessage` returns.'],
  })
}

/**
 * Checks for an unsigned integer of at most `bits` bits.
 *
 * @throws `ARGUMENT_INVALID`.
 */
export function requireUint(what: string, value: bigint, bits: number): bigint {
  if (typeof value === 'bigint' && value >> BigInt(bits) === 0n) return value
  throw new BaseError(`${what} is not a uint${bits}: ${value}`, {
    code: 'ARGUMENT_INVALID',
    metaMessages: [`Pass a bigint from 0n to 2n ** ${bits}n - 1n.`],
  })
}
