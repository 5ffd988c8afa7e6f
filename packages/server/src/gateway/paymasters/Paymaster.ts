import type { Address, Hex } from 'viem'
import type { SigningContext, Validity } from './PaymasterScheme.ts'

/** Paymaster fields of an operation. EntryPoint 0.6 concatenates the first two fields and has no limits. */
export type PaymasterPart = {
  paymaster: Address
  paymasterData: Hex
  /** Signature that is not part of the operation's hash (EntryPoint 0.9). */
  paymasterSignature?: Hex | undefined
  paymasterVerificationGasLimit?: bigint | undefined
  paymasterPostOpGasLimit?: bigint | undefined
}

/**
 * A type of paymaster, for the operations of one EntryPoint version. Each type has its own file; `schemes.ts` lists
 * them. `operation` is an operation without the paymaster's fields, `settled` one with its gas and fees.
 */
export type Paymaster<operation, settled extends operation> = {
  /** Undefined if each operation may have a different paymaster. */
  address: Address | undefined
  /**
   * Returns stub fields with the format and length of the real ones, so that an estimate succeeds. Pass the current
   * time as `nowMs` if the user may already sign these fields, because the operation's hash excludes the paymaster's
   * signature.
   */
  stub(operation: operation, nowMs?: number): Promise<PaymasterPart>
  /**
   * Reads the validity from paymaster data of `stub` that the user may have signed. Undefined for data of another
   * format.
   */
  readValidity?(paymasterData: Hex): Validity | undefined
  sign(settled: settled, validity: Validity, context: SigningContext): Promise<PaymasterPart>
}

/**
 * Stub signature. It recovers to an address, since the sample paymaster's ECDSA library reverts on a malformed one. It
 * has no zero byte, so estimates of preVerificationGas are never below the real signature's cost.
 */
export const stubSignature: Hex =
  '0xf71f10f157894d333135030aa7670172c520476d37fa883c550123793ecf6652085fc747fe08df953d295a24df55cadbc36790ad11526cd4f19d655c0b6bbef01b'

/** Validity period for stubs: it includes any time, and has as many non-zero bytes as a real one. */
export const stubValidity: Validity = { validUntil: 0xffff_ffff_ffff, validAfter: 0x0101_0101 }

/** Dummy that published clients send before they know a paymaster's data: 97 bytes, a word and a signature. */
export const documentedDummy: Hex =
  '0xfffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff0000000000000000000000000000000007aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa1c'
