import type { Address, Client, Hex } from 'viem'
import type { WebAuthnAccount } from 'viem/account-abstraction'
import type { ValidationParameter } from '../modularAccountV2/validations.ts'
import type { OwnerParameter, SmartAccountOwner } from '../owner.ts'
import type { LatchkeyAccount, ReadClient } from '../types.ts'
import type { PasskeyPoint } from './passkeyPoint.ts'

/** Owner of an account on one chain. */
export type AccountOwner = {
  /** `contract`: contract that verifies signatures (ERC-1271), other than a passkey's signer contract. */
  kind: 'key' | 'passkey' | 'contract'
  /** EIP-55 address. For a passkey of a Modular Account v2, the address only identifies the passkey. */
  address: Address
  /** Public key of a passkey. */
  passkey?: PasskeyPoint | undefined
  /** Id of a passkey, base64url. Known only in the browser that added the passkey. */
  credentialId?: string | undefined
  /** Validation function of a Modular Account v2; undefined for the account's original owner. */
  validation?: ValidationParameter | undefined
}

/** New owner of an account, with its signing methods. */
export type NewOwner = AccountOwner & { signer: SmartAccountOwner; given: OwnerParameter | WebAuthnAccount }

/**
 * Functions that read and change the owners of an account type. Each array element is the call data of one operation,
 * in order.
 */
export type Ownership = {
  /** Whether the account can have only one owner. A new owner then replaces the current one. */
  isSingle: boolean
  read(client: Client, account: Address): Promise<readonly AccountOwner[]>
  has(client: Client, account: Address, owner: NewOwner): Promise<boolean>
  resolve(client: ReadClient, given: OwnerParameter | WebAuthnAccount): Promise<NewOwner>
  /** Encodes the operations that add an owner, or replace the only owner if the account can have only one. */
  encodeAdd(account: LatchkeyAccount, owner: NewOwner): Promise<readonly Hex[]>
  encodeRemove(account: LatchkeyAccount, owners: readonly AccountOwner[]): Promise<Hex>
  /** Returns the same account with another of its owners as the signer. */
  signAs(account: LatchkeyAccount, owner: NewOwner): Promise<LatchkeyAccount>
}
