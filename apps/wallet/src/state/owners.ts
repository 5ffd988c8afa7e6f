import { useQuery } from '@tanstack/react-query'
import {
  getFallbackSigner,
  modularAccountV2Actions,
  ownersOf,
  readOwner,
  readOwners,
  transferOwnership,
  updateOwners,
  updatePluginOwners,
} from 'latchkey/accounts'
import { useBundlerClient } from 'latchkey/react'
import type { Address } from 'viem'
import type { Kind } from './account.ts'
import type { Client } from './useSending.ts'

type Reader = ReturnType<typeof useBundlerClient>
/** Owners to add and to remove in one operation. */
type Change = { add: readonly Address[]; remove: readonly Address[] }
type Owners = {
  /** Whether a new owner replaces the current one. */
  isSingle: boolean
  read(reader: Reader, account: Address): Promise<readonly Address[]>
  /** Resolves once the operation is in a block. */
  change(client: Client, change: Change): Promise<unknown>
}

/** Reads and changes the owners of each account type. */
export const ownersByType: { readonly [type in Kind['type']]: Owners } = {
  LightAccount: {
    isSingle: true,
    read: async (reader, address) => [await readOwner(reader, { address })],
    change: async (client, { add: [newOwner] }) =>
      newOwner && transferOwnership(client, { newOwner, waitForTxn: true }),
  },
  MultiOwnerLightAccount: {
    isSingle: false,
    read: (reader, address) => readOwners(reader, { address }),
    change: (client, { add, remove }) =>
      updateOwners(client, { ownersToAdd: add, ownersToRemove: remove, waitForTxn: true }),
  },
  MultiOwnerModularAccount: {
    isSingle: false,
    read: (reader, account) => ownersOf(reader, { account }),
    change: (client, { add, remove }) => updatePluginOwners(client, { args: [add, remove], waitForTxn: true }),
  },
  ModularAccountV2: {
    isSingle: true,
    read: async (reader, account) => [(await getFallbackSigner(reader, { account })).signer],
    change: async (client, { add: [newOwner] }) =>
      newOwner && modularAccountV2Actions(client).transferOwnership({ newOwner, waitForTxn: true }),
  },
}

/** Returns the account's owners on the chain, or its future owner before deployment. */
export function useOwners({ type }: Kind, account: Address, own: Address, isDeployed: boolean) {
  const reader = useBundlerClient()
  return useQuery({
    queryKey: ['account', 'owners', reader.chain.id, account, isDeployed],
    queryFn: () => (isDeployed ? ownersByType[type].read(reader, account) : [own]),
  })
}
