import type { GasOverrides } from 'latchkey/wire'
import { type Address, concatHex, encodeAbiParameters, type Hex } from 'viem'

/** Fees in wei, before overrides. */
export type Fees = { baseFee: bigint; tip: bigint }

/** Seconds since the epoch between which the paymaster's signature counts (ERC-4337 validation data). */
export type Validity = { validAfter: number; validUntil: number }

/** What one EntryPoint version needs to sponsor an operation. One file a version; `schemes.ts` lists them. */
export type PaymasterScheme = {
  entryPoint: Address
  paymaster: Address
  /** Reads an operation without gas and fees. Rejects a malformed one with -32602. */
  open(userOperation: unknown, dummySignature: Hex): OpenSponsorship
  /** Reads an operation that has its gas and fees. Rejects a malformed or incomplete one with -32602. */
  openFilled(userOperation: unknown): FilledSponsorship
  /**
   * The same operation as the bundler should estimate it: when our paymaster is to pay, with a stub of the form its data
   * will have, in place of the client's. Other operations stay as they are.
   */
  withStub(userOperation: Record<string, unknown>): Record<string, unknown>
}

type Identity = { sender: Address; nonce: bigint }

export type OpenSponsorship = Identity & {
  /** The operation as the bundler should estimate it: with our paymaster stub and the dummy signature. */
  estimateRequest: Record<string, Hex>
  /** Settles fees and gas: estimates first, then the caller's overrides. `estimate` is the bundler's result. */
  settle(estimate: unknown, fees: Fees, overrides: GasOverrides, validity: Validity): SettledSponsorship
}

export type FilledSponsorship = Identity & { settle(validity: Validity): SettledSponsorship }

export type SettledSponsorship = {
  /** Wei the EntryPoint takes from the paymaster's deposit before it runs the operation. */
  prefund: bigint
  /** Calldata for the paymaster contract; the 32-byte result is the digest to sign. */
  hashCallData: Hex
  /** Gas and fee fields of the response. */
  gasFields: Record<string, Hex>
  /** Takes the signature over that digest (EIP-191 form) and returns the paymaster's fields of the response. */
  seal(signature: Hex): { paymasterFields: Record<string, Hex>; userOpHash: Hex }
}

/**
 * Recoverable, since the paymaster's ECDSA library reverts on a malformed signature, and without a zero byte, so that
 * the estimate of preVerificationGas is never below what the real signature costs.
 */
export const stubSignature: Hex =
  '0xf71f10f157894d333135030aa7670172c520476d37fa883c550123793ecf6652085fc747fe08df953d295a24df55cadbc36790ad11526cd4f19d655c0b6bbef01b'

/** As many non-zero bytes as real times, and always valid. */
export const stubValidity: Validity = { validUntil: 0xffff_ffff_ffff, validAfter: 0x0101_0101 }

/** What a VerifyingPaymaster reads: abi.encode(uint48 validUntil, uint48 validAfter) ‖ signature (65 bytes). */
export function paymasterWindow({ validUntil, validAfter }: Validity, signature: Hex): Hex {
  return concatHex([encodeAbiParameters([{ type: 'uint48' }, { type: 'uint48' }], [validUntil, validAfter]), signature])
}
