import { createChunk } from '../core/createChunk.ts'
import { requireOnline } from '../core/requireOnline.ts'
import type { User } from '../signer/types.ts'
import type { AccountSelection, ChainOwners, RotationParameters } from '../wallet/owners/accountOwners.ts'
import type { LatchkeyConfig } from '../wallet/store/types.ts'
import { configMutation, neverQueued } from './configMutation.ts'
import type { ConfigQuery } from './queries.ts'

/**
 * Chunk that reads and changes owners. Not in `wallet/chunks.ts`, because it imports modules that import those chunks.
 */
const ownersChunk = /* @__PURE__ */ createChunk({
  name: 'owners',
  import: () => import('../wallet/owners/accountOwners.ts'),
})

export declare namespace getOwnersQueryOptions {
  type Parameters = AccountSelection & {
    /** User of the config. It is part of the query key. */
    user: User | null
  }
  type ReturnType = ConfigQuery<ChainOwners[]>
}

/**
 * Returns the options of the query behind `useOwners`, which reads the owners of the user's account on several chains.
 *
 * @throws `SIGNER_NOT_CONNECTED`, `CLIENT_ONLY`, `CHAIN_NOT_FOUND`, `CHUNK_FAILED`, `UNSUPPORTED_ACCOUNT_TYPE`,
 * `RPC_FAILED`.
 *
 * @example
 * ```ts
 * import { getUser } from 'latchkey'
 * import { getOwnersQueryOptions } from 'latchkey/query'
 * import { config } from './config.ts'
 *
 * const { queryFn } = getOwnersQueryOptions(config, { type: 'LightAccount', user: getUser(config) ?? null })
 * for (const { name, owners } of await queryFn()) console.log(name, owners.length)
 * ```
 */
export function getOwnersQueryOptions(
  config: LatchkeyConfig,
  { user, ...selection }: getOwnersQueryOptions.Parameters,
): getOwnersQueryOptions.ReturnType {
  const { type, chains, accountParams } = selection
  const key = JSON.stringify(accountParams, (_, value) => (typeof value === 'bigint' ? String(value) : value))
  return {
    ...neverQueued,
    queryKey: ['latchkey', 'owners', user?.orgId, user?.userId, type, chains, key],
    retry: false,
    queryFn: async () => (await ownersChunk.load()).readOwnersOnChains(selection, config),
  }
}

export declare namespace rotateOwnerMutationOptions {
  type Variables = RotationParameters
}

/**
 * Returns the options of the mutation behind `useOwners`, which changes the owners of the user's account on several
 * chains. Adds the new owner, verifies on each chain that it can sign, and then removes the owners that are not kept.
 * Stores the rotation in the browser until it has completed, so that a later call can continue it.
 *
 * @throws `OWNER_NOT_PROVEN`, `OWNERS_INVALID`, `ARGUMENT_INVALID` without an owner, `SIGNER_NOT_CONNECTED`,
 * `CLIENT_ONLY`, `CHAIN_NOT_FOUND`, `CHUNK_FAILED`, `NETWORK_UNREACHABLE` offline; the errors of a send.
 *
 * @example
 * ```ts
 * import { rotateOwnerMutationOptions } from 'latchkey/query'
 * import { createWebAuthnCredential, toWebAuthnAccount } from 'viem/account-abstraction'
 * import { config } from './config.ts'
 *
 * const credential = await createWebAuthnCredential({ name: 'My wallet' })
 * const { mutationFn } = rotateOwnerMutationOptions(config)
 * await mutationFn({ type: 'MultiOwnerLightAccount', to: toWebAuthnAccount({ credential }), keep: 'all' })
 * ```
 */
export const rotateOwnerMutationOptions = /* @__PURE__ */ configMutation(
  'rotateOwner',
  async (config, variables: rotateOwnerMutationOptions.Variables) => {
    requireOnline()
    return (await ownersChunk.load()).rotateOnChains(variables, config)
  },
)
