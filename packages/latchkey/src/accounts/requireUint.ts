import { BaseError } from '../core/errors/BaseError.ts'

/** A number of as many bits as a contract takes; `what` names it at the start of a sentence. Throws `ARGUMENT_INVALID`. */
export function requireUint(what: string, value: bigint, bits: 192 | 256): bigint {
  if (typeof value === 'bigint' && value >> BigInt(bits) === 0n) return value
  throw new BaseError(`${what} is not a number of ${bits} bits: ${value}`, {
    code: 'ARGUMENT_INVALID',
    metaMessages: [`Pass a bigint from 0n to 2n ** ${bits}n - 1n.`],
  })
}
