import { type AccountDescriptor, BaseError, type LatchkeyAccount, withOwner } from 'latchkey/accounts'
import { type Chain, type Client, isAddressEqual, type LocalAccount, type Transport } from 'viem'
import { CommandError } from './errors.ts'
import { makeAccount } from './makeAccount.ts'

/**
 * Opens a descriptor's account on the client's chain, with `owner` as its signer. Uses contract addresses only from our
 * tables, and recomputes an undeployed account's address from its owners and salt.
 *
 * @throws `CHAIN_MISMATCH`, `OWNER_NOT_FOUND`, `ENTRY_POINT_NOT_FOUND`, `UNSUPPORTED_ACCOUNT_TYPE`.
 */
export async function openAccount(
  client: Client<Transport, Chain, undefined>,
  descriptor: AccountDescriptor,
  owner: LocalAccount,
): Promise<LatchkeyAccount> {
  const { type, version, owners, salt, address, entryPoint, chains } = descriptor
  if (!chains.includes(client.chain.id))
    throw new CommandError(`The node is on chain ${client.chain.id}; the account is on ${chains.join(', ')}.`, {
      code: 'CHAIN_MISMATCH',
      hint: 'Use a node of that chain, or describe the account for this one.',
    })
  const create = { client, owner, type, version, owners, salt: BigInt(salt) }
  const existing = await makeAccount({ ...create, accountAddress: address })
  if (!isAddressEqual(existing.entryPoint.address, entryPoint))
    throw new CommandError(`The descriptor names the entry point ${entryPoint}, and this account uses another.`, {
      code: 'ENTRY_POINT_NOT_FOUND',
    })
  if (await existing.isDeployed()) return asOwner(existing, owner)
  const account = owners.includes(owner.address) ? await makeAccount(create) : undefined
  if (account?.address === address) return account
  throw new CommandError(
    `The account ${address} is not on this chain yet, and the key belongs to none of its owners.`,
    {
      code: 'OWNER_NOT_FOUND',
      hint: 'Use the key of an owner that the descriptor names.',
    },
  )
}

/** Selects the owner that signs. Only a Modular Account v2 needs this, because each owner has a separate entity id. */
async function asOwner(account: LatchkeyAccount, owner: LocalAccount): Promise<LatchkeyAccount> {
  if (account.source !== 'ModularAccountV2') return account
  return withOwner({ account, owner }).catch((cause: unknown) => {
    if (!(cause instanceof BaseError)) throw cause
    throw new CommandError(cause.shortMessage, { code: cause.code, cause, hint: 'Use the key of a present owner.' })
  })
}
