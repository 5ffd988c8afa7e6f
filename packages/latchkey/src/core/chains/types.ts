import type { Address, Chain } from 'viem'
import type { EntryPointVersion } from './entryPoints.ts'

export type LightAccountVersion = 'v1.0.1' | 'v1.0.2' | 'v1.1.0' | 'v2.0.0'

export type MultiOwnerLightAccountVersion = 'v2.0.0'

/**
 * Forms of a Modular Account v2. `default` stores its owner in the bytecode of its proxy (SMA-B), `single-signer` in
 * the SingleSignerValidationModule. `webauthn` stores a passkey in the WebAuthnValidationModule. `7702` is the owner's
 * own address, which delegates to the account's code (EIP-7702).
 */
export type ModularAccountV2Mode = ModularAccountV2FactoryMode | '7702'

/** Forms of a Modular Account v2 that a factory creates. */
export type ModularAccountV2FactoryMode = 'default' | 'single-signer' | 'webauthn'

/** Addresses of a proxy account's contracts. */
export type AccountContracts = { factory: Address; implementation: Address }

/** Latchkey's data for a chain, in addition to viem's fields. Omitted members are looked up in the built-in tables. */
export type ChainContracts = {
  entryPoints?: { readonly [version in EntryPointVersion]?: { readonly address: Address } } | undefined
  lightAccount?: { readonly [version in LightAccountVersion]?: AccountContracts | undefined } | undefined
  multiOwnerLightAccount?:
    | { readonly [version in MultiOwnerLightAccountVersion]?: AccountContracts | undefined }
    | undefined
  modularAccount?: AccountContracts | undefined
  modularAccountV2?: { readonly [mode in ModularAccountV2FactoryMode]?: AccountContracts | undefined } | undefined
  /** Paymaster to use in dummy data while the actual paymaster is unknown. */
  paymasters?: { readonly [version in EntryPointVersion]?: Address } | undefined
  /** Addresses of account plugins, by plugin name. */
  plugins?: { readonly [name: string]: Address } | undefined
  /**
   * Whether the service at the chain's RPC base URL is Latchkey's own gateway, whose combined methods need fewer
   * requests. If unset, a client with a gas manager detects this during its first operation.
   */
  gateway?: boolean | undefined
  /** Whether the network is retired. Its definition remains so that apps can read old data. */
  retired?: boolean | undefined
}

/** viem chain with Latchkey's addresses. `rpcUrls.alchemy` is the base to which `/{apiKey}` is appended. */
export type LatchkeyChain = Chain & { custom: { latchkey: ChainContracts } }
