import { type Hex, isHash } from 'viem'
import { BaseError } from '../core/errors/BaseError.ts'

/** A hash of 32 bytes. Throws `ARGUMENT_INVALID`. */
export function requireHash(value: Hex): Hex {
  // Of anything else a signature could be made, too, but no contract would take it.
  if (isHash(value)) return value
  throw new BaseError(`${value} is not a hash.`, {
    code: 'ARGUMENT_INVALID',
    metaMessages: ['Pass 0x and 64 hexadecimal digits, such as viem’s `hashMessage` gives.'],
  })
}
