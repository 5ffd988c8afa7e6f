import { signerTypes } from 'latchkey-protocol'
import { type Address, type Hex, isAddressEqual } from 'viem'
import type { WebAuthnAccount } from 'viem/account-abstraction'
import { requireAddress } from '../../core/arguments.ts'
import { BaseError } from '../../core/errors/BaseError.ts'
import { type OperationClient, requireAccount, type SendOptions } from '../actions/OperationClient.ts'
import { sendCallData } from '../actions/sendCallData.ts'
import type { OwnerParameter, SmartAccountOwner } from '../owner.ts'
import type { LatchkeyAccount, ReadClient } from '../types.ts'
import { lastOwnerError } from './addressOwners.ts'
import { ownershipOf } from './ownership.ts'
import { readAccountOwners } from './readAccountOwners.ts'
import type { AccountOwner, NewOwner } from './types.ts'

export declare namespace addOwner {
  type Parameters = SendOptions & {
    /**
     * Owner to add, or its address. For a passkey, pass the account that viem's `toWebAuthnAccount` returns. `addOwner`
     * does not check that the owner can sign; see `rotateOwner`.
     */
    owner: OwnerParameter | WebAuthnAccount | Address
  }
  /** Hash of the last user operation, or transaction hash with `waitForTxn`. */
  type ReturnType = Promise<Hex>
}

/**
 * Adds an owner to the client's account, and deploys the account if necessary. If the account's owners are addresses, a
 * passkey gets a signer contract, which the same operation deploys. For a MultiOwnerModularAccount, a separate
 * operation deploys the signer contract first.
 *
 * @throws `OWNERS_INVALID` if it already is an owner, or if the account can have only one owner;
 * `UNSUPPORTED_ACCOUNT_TYPE`, `FACTORY_NOT_FOUND`, `CLIENT_INCOMPATIBLE`, `ACCOUNT_NOT_FOUND`, `CONTRACT_REVERTED`.
 *
 * @example
 * ```ts
 * import { addOwner } from 'latchkey/accounts'
 * import { createWebAuthnCredential, toWebAuthnAccount } from 'viem/account-abstraction'
 * import { client } from './config.ts'
 *
 * const credential = await createWebAuthnCredential({ name: 'My wallet' })
 * await addOwner(client, { owner: toWebAuthnAccount({ credential }), waitForTxn: true })
 * ```
 */
export async function addOwner(
  client: OperationClient,
  { owner: given, ...options }: addOwner.Parameters,
): addOwner.ReturnType {
  const account = requireAccount(client, options, 'addOwner')
  const ownership = ownershipOf(account)
  if (ownership.isSingle) throw singleOwnerError(account)
  const to = typeof given === 'string' ? toAddressOwner(given) : given
  const owner = await ownership.resolve(account.client as ReadClient, to)
  if (await hasOwner(account, owner)) {
    throw new BaseError('This is an owner of the account already.', {
      code: 'OWNERS_INVALID',
      metaMessages: [`Owner: ${owner.address}`],
    })
  }
  return sendAdd(client, { ...options, account, owner })
}

/** Creates an owner from an address. It cannot sign. */
function toAddressOwner(given: Address): SmartAccountOwner {
  const address = requireAddress(given)
  const refuse = () => Promise.reject(new BaseError('An address alone cannot sign.', { code: 'SIGNATURE_UNSUPPORTED' }))
  return {
    signerType: signerTypes.local,
    getAddress: async () => address,
    signMessage: refuse,
    signTypedData: refuse,
  }
}

/** Sends the operations that add an owner. Waits for all except the last. */
export async function sendAdd(
  client: OperationClient,
  { account, owner, ...options }: SendOptions & { account: LatchkeyAccount; owner: NewOwner },
): Promise<Hex> {
  const all = await ownershipOf(account).encodeAdd(account, owner)
  for (const callData of all.slice(0, -1))
    await sendCallData(client, { ...options, account, callData, waitForTxn: true })
  const callData = all.at(-1)
  if (!callData) throw lastOwnerError()
  return sendCallData(client, { ...options, account, callData })
}

export async function hasOwner(account: LatchkeyAccount, owner: NewOwner): Promise<boolean> {
  const { client, address } = account
  if (await account.isDeployed()) return ownershipOf(account).has(client, address, owner)
  const { owners } = await readAccountOwners({ account })
  return owners.some((known) => isAddressEqual(known.address, owner.address))
}

export declare namespace removeOwner {
  type Parameters = SendOptions & {
    /** Address of an owner, as returned by `readAccountOwners`. */
    owner: Address
    /**
     * Whether the last remaining owner may be a passkey. A passkey is lost if its devices or its website are lost.
     *
     * @default false
     */
    allowSinglePasskey?: boolean | undefined
  }
  /** Hash of the user operation, or transaction hash with `waitForTxn`. */
  type ReturnType = Promise<Hex>
}

/**
 * Removes an owner of the client's account. First make sure that the other owners can sign; `rotateOwner` verifies
 * this.
 *
 * @throws `OWNER_NOT_FOUND` if it is not an owner; `OWNERS_INVALID` if no owner or only a passkey would remain;
 * `UNSUPPORTED_ACCOUNT_TYPE`, `CLIENT_INCOMPATIBLE`, `ACCOUNT_NOT_FOUND`, `CONTRACT_REVERTED`.
 *
 * @example
 * ```ts
 * import { readAccountOwners, removeOwner } from 'latchkey/accounts'
 * import { account, client } from './config.ts'
 *
 * const { owners } = await readAccountOwners({ account })
 * const [, second] = owners
 * if (second) await removeOwner(client, { owner: second.address, waitForTxn: true })
 * ```
 */
export async function removeOwner(
  client: OperationClient,
  { owner, allowSinglePasskey, ...options }: removeOwner.Parameters,
): removeOwner.ReturnType {
  const account = requireAccount(client, options, 'removeOwner')
  const { owners } = await readAccountOwners({ account })
  const removed = owners.filter(({ address }) => isAddressEqual(address, owner))
  if (removed.length === 0) {
    throw new BaseError('This is not an owner of the account.', {
      code: 'OWNER_NOT_FOUND',
      metaMessages: [`Owner: ${owner}`, `Owners: ${owners.map(({ address }) => address).join(', ')}`],
    })
  }
  requireRest(
    owners.filter((each) => !removed.includes(each)),
    allowSinglePasskey,
  )
  const callData = await ownershipOf(account).encodeRemove(account, removed)
  return sendCallData(client, { ...options, account, callData })
}

/** Checks the owners that remain after a removal. @throws `OWNERS_INVALID`. */
export function requireRest(rest: readonly Pick<AccountOwner, 'kind'>[], allowSinglePasskey = false): void {
  if (rest.length === 0) throw lastOwnerError()
  if (rest.length > 1 || rest[0]?.kind !== 'passkey' || allowSinglePasskey) return
  throw new BaseError('Only a passkey would be left as an owner. Whoever loses it loses the account.', {
    code: 'OWNERS_INVALID',
    metaMessages: ['Keep another owner, or pass `allowSinglePasskey: true`.'],
  })
}

function singleOwnerError({ source, version }: LatchkeyAccount): BaseError {
  return new BaseError(`A ${source} ${version} has exactly one owner.`, {
    code: 'OWNERS_INVALID',
    metaMessages: [
      'Replace the owner: `rotateOwner` with `keep: []`.',
      'Or upgrade the account: `upgradeAccount` with `getMSCAUpgradeToData`. It keeps its address and can have several owners, but signs messages in another form.',
    ],
  })
}
