import type { GasOverrides } from 'latchkey-protocol'
import type { Address, Hex } from 'viem'
import type { ServiceSigner } from '../../keys/serviceSigner.ts'
import type { Upstream } from '../rpc/createUpstream.ts'

/** Fees in wei, before overrides. */
export type Fees = { baseFee: bigint; tip: bigint }

/** Seconds since the epoch between which the paymaster's signature counts (ERC-4337 validation data). */
export type Validity = { validAfter: number; validUntil: number }

/** What a paymaster needs to sign. */
export type SigningContext = { node: Upstream; signer: ServiceSigner }

/** What one EntryPoint version needs to sponsor an operation. One file a version; `schemes.ts` lists them. */
export type PaymasterScheme = {
  entryPoint: Address
  /** undefined: an upstream service says for each operation which contract pays, and minds its deposit. */
  paymaster: Address | undefined
  /** Reads an operation without gas and fees. Rejects a malformed one with -32602. */
  open(userOperation: unknown, dummySignature: Hex): Promise<OpenSponsorship>
  /** Reads an operation that has its gas and fees. Rejects a malformed or incomplete one with -32602. */
  openFilled(userOperation: unknown): Promise<FilledSponsorship>
  /**
   * The paymaster's fields for an estimate, in the form and the length of the real ones (ERC-7677 stub data). Nothing is
   * signed. Rejects a malformed operation with -32602.
   */
  stub(userOperation: unknown): Promise<Record<string, Hex>>
  /**
   * The same operation as the bundler should estimate it: when our paymaster is to pay, or the documented dummy names any
   * gas manager's, with a stub of the form the data will have. Other operations stay as they are.
   */
  withStub(userOperation: Record<string, unknown>): Promise<Record<string, unknown>>
}

/** Gas and fee fields by their names on the wire. */
export type GasFields = Readonly<Record<string, bigint>>

type Operation = {
  sender: Address
  nonce: bigint
  callData: Hex
  /** Of an account that is not deployed. */
  factory: Address | undefined
  /** As the bundler should estimate it: with our paymaster stub and a dummy signature, without gas and fees. */
  estimateRequest: Record<string, Hex>
  /** What the gateway itself would fill in. `estimate` is the bundler's result. */
  quote(estimate: unknown, fees: Fees): GasFields
}

export type OpenSponsorship = Operation & {
  /** Settles fees and gas: estimates first, then the caller's overrides. `estimate` is the bundler's result. */
  settle(estimate: unknown, fees: Fees, overrides: GasOverrides, validity: Validity): SettledSponsorship
}

export type FilledSponsorship = Operation & { settle(validity: Validity): SettledSponsorship }

export type SettledSponsorship = {
  /** Every gas and fee field that the signature covers. */
  gas: GasFields
  /** Wei the EntryPoint takes from the paymaster's deposit before it runs the operation. */
  prefund: bigint
  /** Gas and fee fields of the response. */
  gasFields: Record<string, Hex>
  /** Has the operation signed for, and returns the paymaster's fields of the response. */
  seal(context: SigningContext): Promise<{ paymasterFields: Record<string, Hex>; userOpHash: Hex }>
}
