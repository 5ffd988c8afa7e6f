import type { Address, Client } from 'viem'
import type { WebAuthnAccount } from 'viem/account-abstraction'
import { BaseError } from '../../core/errors/BaseError.ts'
import { type OwnerParameter, toOwner } from '../owner.ts'
import type { LatchkeyAccount, ReadClient } from '../types.ts'
import { isPasskey, readPoint } from './passkeyPoint.ts'
import { readPasskeyOf, toPasskeyOwner } from './toPasskeyOwner.ts'
import type { AccountOwner, NewOwner } from './types.ts'

/**
 * Converts an owner for contracts that identify owners by address. A passkey's address is that of its signer contract.
 */
export async function resolveAddressOwner(
  client: ReadClient,
  given: OwnerParameter | WebAuthnAccount,
): Promise<NewOwner> {
  if (isPasskey(given)) {
    const signer = await toPasskeyOwner({ client, passkey: given })
    return { kind: 'passkey', address: await signer.getAddress(), passkey: readPoint(given), signer, given }
  }
  const signer = toOwner(given)
  return { kind: signer.isContract ? 'contract' : 'key', address: await signer.getAddress(), signer, given }
}

/** Determines the type of each owner from the code at its address. */
export async function describeOwners(client: Client, addresses: readonly Address[]): Promise<AccountOwner[]> {
  return Promise.all(
    addresses.map(async (address): Promise<AccountOwner> => {
      const code = await client.request({ method: 'eth_getCode', params: [address, 'latest'] })
      // The owner of a delegated address (EIP-7702) is still a key.
      if (code === '0x' || code.startsWith('0xef0100')) return { kind: 'key', address }
      const passkey = await readPasskeyOf(client, address)
      return passkey ? { kind: 'passkey', address, passkey } : { kind: 'contract', address }
    }),
  )
}

/** Returns the options for creating the same account object with another of its owners. */
export async function signAsOptions({ client, address, getFactoryInitCode }: LatchkeyAccount) {
  return { client: client as ReadClient, accountAddress: address, initCode: await getFactoryInitCode() }
}

export function lastOwnerError(): BaseError {
  return new BaseError('An account keeps at least one owner.', {
    code: 'OWNERS_INVALID',
    metaMessages: ['Add another owner first.'],
  })
}
