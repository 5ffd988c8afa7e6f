import type { GasOverrides } from 'latchkey/wire'
import type { Address, Hex } from 'viem'

/** Fees in wei, before overrides. */
export type Fees = { baseFee: bigint; tip: bigint }

/** Seconds since the epoch between which the paymaster's word holds (ERC-4337 validation data). */
export type Validity = { validAfter: number; validUntil: number }

/** What one EntryPoint version needs to sponsor an operation. One file a version. */
export type PaymasterScheme = {
  entryPoint: Address
  paymaster: Address
  /** Reads an operation without gas and fees. Throws RpcError -32602 when it is malformed. */
  open(userOperation: unknown, dummySignature: Hex): OpenSponsorship
  /** Reads an operation that has its gas and fees. Throws RpcError -32602 when it is malformed or lacks one. */
  openFilled(userOperation: unknown): FilledSponsorship
  /**
   * The same operation as the bundler should estimate it: when our paymaster is to pay, with a stub of the form its
   * data will have, whatever a client put there. Other operations stay as they are.
   */
  withStub(userOperation: Record<string, unknown>): Record<string, unknown>
}

type Identity = { sender: Address; nonce: bigint }

export type OpenSponsorship = Identity & {
  /** The operation as the bundler should estimate it: with our paymaster stub and the dummy signature. */
  estimateRequest: Record<string, Hex>
  /** Settles fees and gas: estimates first, then the caller's overrides. `estimate` is the bundler's answer. */
  settle(estimate: unknown, fees: Fees, overrides: GasOverrides, validity: Validity): SettledSponsorship
}

export type FilledSponsorship = Identity & { settle(validity: Validity): SettledSponsorship }

export type SettledSponsorship = {
  /** Wei the EntryPoint takes from the paymaster's deposit before it runs the operation. */
  prefund: bigint
  /** Calldata for the paymaster contract; the 32-byte result is the digest to sign. */
  hashCallData: Hex
  /** Gas and fee fields of the answer. */
  gasFields: Record<string, Hex>
  /** Takes the signature over that digest (EIP-191 form) and gives the paymaster's fields of the answer. */
  seal(signature: Hex): { paymasterFields: Record<string, Hex>; userOpHash: Hex }
}
