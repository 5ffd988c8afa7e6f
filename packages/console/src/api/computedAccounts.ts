import { useQuery } from '@tanstack/react-query'
import type { AdminOperation, AdminPage, AdminPerson } from 'latchkey-protocol/admin'
import { askAdmin, toQuery } from './request.ts'

type SeenAccount = AdminPerson['accounts'][number]
type Candidate = Pick<SeenAccount, 'address' | 'owner' | 'factoryType'>

/** Maximum number of keys whose accounts are computed. A user usually has one. */
const mostOwners = 5
/** Maximum counted operations per account, newest first. */
const counted = 200

/**
 * Returns accounts that the usual factories derive from a key (CREATE2) and that have logged operations, even if
 * unknown to the server.
 */
export const useComputedAccounts = (owners: readonly string[]) =>
  useQuery({
    queryKey: ['users', 'computed accounts', owners],
    async queryFn({ signal }) {
      const candidates = await listCandidates(owners.slice(0, mostOwners))
      const found = await Promise.all(candidates.map((candidate) => readSeen(candidate, signal)))
      return found.filter(({ chains }) => chains.length > 0)
    },
    staleTime: 30_000,
  })

/** Lists the clients' default accounts, which have no custom salt. */
async function listCandidates(owners: readonly string[]): Promise<Candidate[]> {
  // Imported here, so that only the user page loads it.
  const {
    predictLightAccountAddress,
    predictModularAccountAddress,
    predictModularAccountV2Address,
    predictMultiOwnerLightAccountAddress,
  } = await import('latchkey/accounts')
  const versions = ['v1.0.1', 'v1.0.2', 'v1.1.0', 'v2.0.0'] as const
  const all = owners.flatMap((text) => {
    const owner = text as `0x${string}`
    return [
      ...versions.map((version) => ({
        address: predictLightAccountAddress({ owner, version }),
        owner,
        factoryType: `LightAccount ${version}`,
      })),
      {
        address: predictMultiOwnerLightAccountAddress({ owners: [owner] }),
        owner,
        factoryType: 'MultiOwnerLightAccount',
      },
      { address: predictModularAccountAddress({ owners: [owner] }), owner, factoryType: 'MultiOwnerModularAccount' },
      { address: predictModularAccountV2Address({ owner }), owner, factoryType: 'ModularAccountV2' },
    ]
  })
  return all.filter(({ address }, index) => all.findIndex((other) => other.address === address) === index)
}

async function readSeen(candidate: Candidate, signal: AbortSignal): Promise<SeenAccount> {
  const path = `/operations${toQuery({ sender: candidate.address, limit: counted })}`
  const { items } = await askAdmin<AdminPage<AdminOperation>>(path, { signal })
  const chains = new Map<number, SeenAccount['chains'][number]>()
  for (const { chainId, createdAt } of items) {
    const before = chains.get(chainId)
    // Newest first.
    chains.set(chainId, { chainId, operations: (before?.operations ?? 0) + 1, lastAt: before?.lastAt ?? createdAt })
  }
  return { ...candidate, chains: [...chains.values()] }
}
