import type { Address, Client, Hex } from 'viem'
import type { WebAuthnAccount } from 'viem/account-abstraction'
import type { ValidationParameter } from '../modularAccountV2/validations.ts'
import type { OwnerParameter, SmartAccountOwner } from '../owner.ts'
import type { LatchkeyAccount, ReadClient } from '../types.ts'
import type { PasskeyPoint } from './passkeyPoint.ts'

/** Owner of an account on one chain. */
export type AccountOwner = {
  /** `contract`: any contract that checks signatures (ERC-1271), except a passkey's signer contract. */
  kind: 'key' | 'passkey' | 'contract'
  /** EIP-55. The address of a passkey of a Modular Account v2 only identifies it. */
  address: Address
  /** Public key of a passkey. */
  passkey?: PasskeyPoint | undefined
  /** Validation function of a Modular Account v2; undefined for the owner that the account was created with. */
  validation?: ValidationParameter | undefined
}

/** Owner that an account gets, with what it needs to sign. */
export type NewOwner = AccountOwner & { signer: SmartAccountOwner; given: OwnerParameter | WebAuthnAccount }

/** Operations that change owners. Each entry is the call data of one operation, in order. */
export type Ownership = {
  /** Whether the account has exactly one owner, which another one can only replace. */
  isSingle: boolean
  read(client: Client, account: Address): Promise<readonly AccountOwner[]>
  has(client: Client, account: Address, owner: NewOwner): Promise<boolean>
  resolve(client: ReadClient, given: OwnerParameter | WebAuthnAccount): Promise<NewOwner>
  /** Encodes the operations that add an owner or, for an account with one owner, replace it. */
  encodeAdd(account: LatchkeyAccount, owner: NewOwner): Promise<readonly Hex[]>
  encodeRemove(account: LatchkeyAccount, owners: readonly AccountOwner[]): Promise<Hex>
  /** Returns the same account, signed by another of its owners. */
  signAs(account: LatchkeyAccount, owner: NewOwner): Promise<LatchkeyAccount>
}
