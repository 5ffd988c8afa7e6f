import type { Hex } from 'viem'
import { BaseError } from '../../core/errors/BaseError.ts'
import { requireBytes } from '../requireBytes.ts'

/** So many bytes, no more and no fewer; `what` names them at the start of a sentence. Throws `ARGUMENT_INVALID`. */
export function requireExactBytes(what: string, value: Hex, bytes: number): Hex {
  if (requireBytes(what, value, bytes).length === 2 + 2 * bytes) return value
  throw new BaseError(`${what} is longer than ${bytes} bytes.`, {
    code: 'ARGUMENT_INVALID',
    metaMessages: [`Pass 0x and ${2 * bytes} hexadecimal digits.`],
  })
}
