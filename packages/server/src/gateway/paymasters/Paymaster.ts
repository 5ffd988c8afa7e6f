import type { Address, Hex } from 'viem'
import type { SigningContext, Validity } from './PaymasterScheme.ts'

/** The fields of an operation that the paymaster writes. Entry point 0.6 joins the first two and has no limits. */
export type PaymasterPart = {
  paymaster: Address
  paymasterData: Hex
  paymasterVerificationGasLimit?: bigint | undefined
  paymasterPostOpGasLimit?: bigint | undefined
}

/**
 * A paymaster of one kind, for the operations of one EntryPoint version. One file a kind; `schemes.ts` lists them.
 * `operation` is an operation before the paymaster has filled in its part, `settled` one with its gas and fees.
 */
export type Paymaster<operation, settled extends operation> = {
  /** undefined: known for each operation alone. */
  address: Address | undefined
  /** A part of the form and the length of the real one, at which an estimate does not fail. */
  stub(operation: operation): Promise<PaymasterPart>
  sign(settled: settled, validity: Validity, context: SigningContext): Promise<PaymasterPart>
}

/**
 * Recoverable, since the sample paymaster's ECDSA library reverts on a malformed signature, and without a zero byte, so
 * that the estimate of preVerificationGas is never below what the real signature costs.
 */
export const stubSignature: Hex =
  '0xf71f10f157894d333135030aa7670172c520476d37fa883c550123793ecf6652085fc747fe08df953d295a24df55cadbc36790ad11526cd4f19d655c0b6bbef01b'

/** As many non-zero bytes as real times, and always valid. */
export const stubValidity: Validity = { validUntil: 0xffff_ffff_ffff, validAfter: 0x0101_0101 }

/** What published clients send before they know a paymaster's data: 97 bytes, a word and a signature (`facts.json`). */
export const documentedDummy: Hex =
  '0xfffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff0000000000000000000000000000000007aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa1c'
