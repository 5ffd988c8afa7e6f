import type { Address, Hex } from 'viem'

/** Data for using an account without its app and without Latchkey's services. Contains no secrets. */
export type AccountDescriptor = {
  /** Format 1 is only read. It does not contain `owners`. */
  format: 'latchkey-account-1' | 'latchkey-account-2'
  /** Type of the contract, such as `LightAccount`. */
  type: string
  version: string
  address: Address
  /** All owners that the account was created with, in the contract's order. The address is derived from them. */
  firstOwners: readonly FirstOwner[]
  /** Owners on the account's chain when the descriptor was created. Empty in format 1. */
  owners: readonly DescribedOwner[]
  /** Decimal. */
  salt: string
  factory: Address
  entryPoint: Address
  /** Chain ids. */
  chains: readonly number[]
  /** Current or future implementation of the account's proxy. For information only. */
  implementation?: Address | undefined
  /**
   * Assets that the account may hold besides the chain's native currency: `TOKEN`, `TOKEN/ID` (ERC-721) or
   * `TOKEN/ID/all` (ERC-1155).
   */
  assets?: readonly string[] | undefined
}

/** Address, or the passkey that a Modular Account v2 was created with. `x` and `y` have 32 bytes. */
export type FirstOwner = Address | { kind: 'passkey'; x: Hex; y: Hex; entityId: number }

/** Owner of an account, with what is needed to sign with it. */
export type DescribedOwner =
  | {
      kind: 'key' | 'contract'
      address: Address
      /** Entity id of the owner in a Modular Account v2, if it was added later. */
      entityId?: number | undefined
    }
  | DescribedPasskey

export type DescribedPasskey = {
  kind: 'passkey'
  /** Coordinates of the public key on P-256, with 32 bytes each. */
  x: Hex
  y: Hex
  /** Domain of the site that can use the passkey. */
  rpId: string
  /** Base64url. If undefined, the browser lists the site's passkeys. */
  credentialId?: string | undefined
} & (
  | {
      /** Signer contract, which is the owner on the chain. */
      signer: Address
      /** Verifiers of the signer contract, 22 bytes. */
      verifiers: Hex
    }
  | {
      /** Entity id of the passkey in a Modular Account v2. */
      entityId: number
    }
)

/** Descriptor, signed by one of its owners: a key (EIP-191) or a passkey. */
export type SignedAccountDescriptor = AccountDescriptor & { signature: Hex }

/** Returns the text that an owner signs: all fields that are set, in this order, without the signature. */
export function toSignedText(descriptor: AccountDescriptor): string {
  const { format, type, version, address, firstOwners, owners, salt, factory, entryPoint, chains } = descriptor
  const { implementation, assets } = descriptor
  const all =
    format === 'latchkey-account-1'
      ? { owners: firstOwners }
      : { firstOwners: firstOwners.map(inOrder), owners: owners.map(inOrder) }
  const fields = { format, type, version, address, ...all, salt, factory, entryPoint, chains, implementation, assets }
  return `Latchkey account descriptor\n${JSON.stringify(fields)}`
}

const memberOrder = ['kind', 'address', 'x', 'y', 'rpId', 'credentialId', 'signer', 'verifiers', 'entityId']

/** Returns the members in a fixed order, since programs may write them in another one. */
function inOrder(owner: FirstOwner | DescribedOwner) {
  if (typeof owner === 'string') return owner
  const members = new Map<string, unknown>(Object.entries(owner))
  return Object.fromEntries(memberOrder.map((name) => [name, members.get(name)]))
}
