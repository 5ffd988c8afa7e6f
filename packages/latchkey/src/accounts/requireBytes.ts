import { type Hex, isHex } from 'viem'
import { BaseError } from '../core/errors/BaseError.ts'

/** Bytes a contract takes as they are; `what` names them at the start of a sentence. Throws `ARGUMENT_INVALID`. */
export function requireBytes(what: string, value: Hex, atLeast = 0): Hex {
  // viem would fill up half a byte, and pass on what are no digits.
  if (isHex(value) && value.length % 2 === 0 && value.length >= 2 + 2 * atLeast) return value
  throw new BaseError(`${what} is not made of bytes.`, {
    code: 'ARGUMENT_INVALID',
    metaMessages: [`Pass 0x and two hexadecimal digits a byte${atLeast ? `, ${atLeast} bytes at least` : ''}.`],
  })
}
