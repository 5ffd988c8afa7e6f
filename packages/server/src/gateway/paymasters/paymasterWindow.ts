import { concatHex, encodeAbiParameters, type Hex } from 'viem'
import type { Validity } from './types.ts'

/**
 * Recoverable, since the paymaster's ECDSA library reverts on a malformed signature, and without a zero byte, so that
 * the estimate of preVerificationGas is never below what the real signature costs.
 */
export const stubSignature: Hex =
  '0xf71f10f157894d333135030aa7670172c520476d37fa883c550123793ecf6652085fc747fe08df953d295a24df55cadbc36790ad11526cd4f19d655c0b6bbef01b'

/** As many non-zero bytes as real times, and always in force. */
export const stubValidity: Validity = { validUntil: 0xffff_ffff_ffff, validAfter: 0x0101_0101 }

/** What a VerifyingPaymaster reads: abi.encode(uint48 validUntil, uint48 validAfter) ‖ signature (65 bytes). */
export function paymasterWindow({ validUntil, validAfter }: Validity, signature: Hex): Hex {
  return concatHex([encodeAbiParameters([{ type: 'uint48' }, { type: 'uint48' }], [validUntil, validAfter]), signature])
}
