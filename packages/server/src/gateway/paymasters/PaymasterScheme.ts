import type { GasOverrides } from 'latchkey-protocol'
import type { Address, Hex } from 'viem'
import type { ServiceSigner } from '../../keys/serviceSigner.ts'
import type { Upstream } from '../rpc/createUpstream.ts'

/** Fees in wei, before overrides. `highestTip`: limit of a multiplied tip. @default none */
export type Fees = { baseFee: bigint; tip: bigint; highestTip?: bigint | undefined }

/** Validity period of the paymaster's signature, in seconds since the epoch (ERC-4337 validation data). */
export type Validity = { validAfter: number; validUntil: number }

/** Dependencies of a paymaster for signing. */
export type SigningContext = { node: Upstream; signer: ServiceSigner }

/** Sponsorship on one EntryPoint version. Each version has its own file; `schemes.ts` lists them. */
export type PaymasterScheme = {
  entryPoint: Address
  /** Undefined if an upstream service chooses the paying contract for each operation and maintains its deposit. */
  paymaster: Address | undefined
  /** Reads an operation without gas and fees. Rejects a malformed one with -32602. */
  open(userOperation: unknown, dummySignature: Hex): Promise<OpenSponsorship>
  /** Reads an operation that has its gas and fees. Rejects a malformed or incomplete one with -32602. */
  openFilled(userOperation: unknown): Promise<FilledSponsorship>
  /**
   * Returns the paymaster's fields for an estimate, in the format and the length of the real ones (ERC-7677 stub data).
   * Signs nothing. On EntryPoint 0.9 the user may sign these fields before the paymaster has signed. Rejects a
   * malformed operation with -32602.
   */
  stub(userOperation: unknown, nowMs: number): Promise<Record<string, Hex>>
  /**
   * Returns the operation for the bundler's estimate. The paymaster data becomes a stub of the right format if our
   * paymaster pays, or if the data is the documented dummy for any gas manager. Other operations stay unchanged.
   */
  withStub(userOperation: Record<string, unknown>): Promise<Record<string, unknown>>
}

/** Gas and fee fields by their JSON names. */
export type GasFields = Readonly<Record<string, bigint>>

type Operation = {
  sender: Address
  nonce: bigint
  callData: Hex
  /** Factory of an account that is not deployed. */
  factory: Address | undefined
  /** Operation for the bundler's estimate: with our paymaster stub and a dummy signature, without gas and fees. */
  estimateRequest: Readonly<Record<string, unknown>>
  /** Returns the gateway's own values. `estimate` is the bundler's result. */
  quote(estimate: unknown, fees: Fees): GasFields
}

export type OpenSponsorship = Operation & {
  /** Sets fees and gas: estimates first, then the caller's overrides. `estimate` is the bundler's result. */
  settle(estimate: unknown, fees: Fees, overrides: GasOverrides, validity: Validity): SettledSponsorship
}

export type FilledSponsorship = Operation & { settle(validity: Validity): SettledSponsorship }

export type SettledSponsorship = {
  /** Every gas and fee field that the signature covers. */
  gas: GasFields
  /** Wei that the EntryPoint takes from the paymaster's deposit before it executes the operation. */
  prefund: bigint
  /** Gas and fee fields of the response. */
  gasFields: Record<string, Hex>
  /** Signs the operation, and returns the paymaster's fields of the response. */
  seal(context: SigningContext): Promise<{ paymasterFields: Record<string, Hex>; userOpHash: Hex }>
}
