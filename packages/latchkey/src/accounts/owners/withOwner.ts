import type { WebAuthnAccount } from 'viem/account-abstraction'
import { BaseError } from '../../core/errors/BaseError.ts'
import type { OwnerParameter } from '../owner.ts'
import type { LatchkeyAccount, ReadClient } from '../types.ts'
import { hasOwner } from './changeOwners.ts'
import { ownershipOf } from './ownership.ts'

export declare namespace withOwner {
  type Parameters = {
    /** The account, with any of its owners as the signer. */
    account: LatchkeyAccount
    /** Another owner of the account. For a passkey, pass the account that viem's `toWebAuthnAccount` returns. */
    owner: OwnerParameter | WebAuthnAccount
  }
  type ReturnType = Promise<LatchkeyAccount>
}

/**
 * Returns the same account with another of its owners as the signer.
 *
 * @throws `OWNER_NOT_FOUND` if it is not an owner on the account's chain; `UNSUPPORTED_ACCOUNT_TYPE`,
 * `FACTORY_NOT_FOUND`.
 *
 * @example
 * ```ts
 * import { withOwner } from 'latchkey/accounts'
 * import { createBundlerClient, toWebAuthnAccount } from 'viem/account-abstraction'
 * import { account, bundlerTransport as transport, publicClient as client } from './config.ts'
 *
 * const credential = { id: 'p0o9', publicKey: '0x' as const }
 * const byPasskey = await withOwner({ account, owner: toWebAuthnAccount({ credential }) })
 * const bundler = createBundlerClient({ account: byPasskey, client, transport })
 * await bundler.sendUserOperation({ calls: [{ to: '0x000000000000000000000000000000000000dEaD', value: 1n }] })
 * ```
 */
export async function withOwner({ account, owner: given }: withOwner.Parameters): withOwner.ReturnType {
  const ownership = ownershipOf(account)
  const owner = await ownership.resolve(account.client as ReadClient, given)
  if (await hasOwner(account, owner)) return ownership.signAs(account, owner)
  throw new BaseError('This is not an owner of the account on this chain.', {
    code: 'OWNER_NOT_FOUND',
    metaMessages: [`Owner: ${owner.address}`, 'Add it with `addOwner`, or see `readAccountOwners`.'],
  })
}
