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
  /** Reads an operation as it arrived. Throws RpcError -32602 when it is malformed. */
  open(userOperation: unknown, dummySignature: Hex): OpenSponsorship
}

export type OpenSponsorship = {
  sender: Address
  nonce: bigint
  /** The operation as the bundler should estimate it: with our paymaster stub and the dummy signature. */
  estimateRequest: Record<string, Hex>
  /** Settles fees and gas: estimates first, then the caller's overrides. `estimate` is the bundler's answer. */
  settle(estimate: unknown, fees: Fees, overrides: GasOverrides, validity: Validity): SettledSponsorship
}

export type SettledSponsorship = {
  /** Wei the EntryPoint takes from the paymaster's deposit before it runs the operation. */
  prefund: bigint
  /** Calldata for the paymaster contract; the 32-byte result is the digest to sign. */
  hashCallData: Hex
  /** Takes the signature over that digest (EIP-191 form) and gives the answer for the client. */
  seal(signature: Hex): { result: Record<string, Hex>; userOpHash: Hex }
}
