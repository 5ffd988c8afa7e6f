import { useQuery } from '@tanstack/react-query'
import type { AdminChain, AdminPerson } from 'latchkey-protocol/admin'
import { type Address, BaseError, createClient, custom, type EIP1193RequestFn, numberToHex } from 'viem'
import { toAccount } from 'viem/accounts'
import { askAdmin, toQuery } from './request.ts'

type SeenAccount = Pick<AdminPerson['accounts'][number], 'address' | 'owner' | 'factoryType'>

/** Owners of an account on one chain, or the reason why they could not be read. */
export type ChainOwners = { chainId: number } & (
  | { isDeployed: boolean; owners: readonly { kind: 'key' | 'passkey' | 'contract'; address: string }[] }
  | { error: Error }
)

/** Reads the owners of an account on every chain of the gateway. */
export const useAccountOwners = (account: SeenAccount, isWanted: boolean) =>
  useQuery({
    queryKey: ['users', 'owners', account.address, account.owner],
    enabled: isWanted,
    async queryFn({ signal }): Promise<ChainOwners[]> {
      const { items } = await askAdmin<{ items: AdminChain[] }>('/chains', { signal })
      return Promise.all(
        items.map(async ({ chainId }) => {
          const read = await readOwners(account, chainId, signal).catch((error: Error) => ({ error }))
          return { chainId, ...read }
        }),
      )
    },
    staleTime: 30_000,
  })

async function readOwners(account: SeenAccount, chainId: number, signal: AbortSignal) {
  // Imported here, so that only the user page loads it.
  const { readAccountOwners, toLightAccount, toModularAccount, toModularAccountV2, toMultiOwnerLightAccount } =
    await import('latchkey/accounts')
  const { defineLatchkeyDevChain } = await import('latchkey/chains')
  // The dev chain's contracts have the addresses of the public chains.
  const chain = defineLatchkeyDevChain({ id: chainId })
  const client = createClient({ chain, transport: custom({ request: toRequest(chainId, signal) }, { retryCount: 0 }) })
  const accountAddress = account.address as Address
  const common = { client, accountAddress, owner: readOnly(account.owner as Address) }
  const { factoryType } = account
  const version = lightVersions.find((known) => factoryType.toLowerCase().includes(known))
  if (/MultiOwnerLight/i.test(factoryType))
    return readAccountOwners({ account: await toMultiOwnerLightAccount(common) })
  if (/MultiOwnerModular|MAv1/i.test(factoryType)) return readAccountOwners({ account: await toModularAccount(common) })
  if (!/LightAccount/i.test(factoryType)) return readAccountOwners({ account: await toModularAccountV2(common) })
  const light = await toLightAccount({ ...common, version })
  // A LightAccount that was upgraded to a modular account keeps its address.
  return readAccountOwners({ account: light }).catch(async () =>
    readAccountOwners({ account: await toModularAccount(common) }),
  )
}

const lightVersions = ['v1.0.1', 'v1.0.2', 'v1.1.0', 'v2.0.0'] as const

/** Signs nothing: the account object is only read. */
function readOnly(address: Address) {
  const refuse = () => Promise.reject(new BaseError('Operators cannot sign for users.'))
  return toAccount({ address, signMessage: refuse, signTransaction: refuse, signTypedData: refuse })
}

type Outcome = { result: unknown } | { error: { code: number; message: string } }

function toRequest(chainId: number, signal: AbortSignal): EIP1193RequestFn {
  return (async ({ method, params }: { method: string; params?: unknown }) => {
    if (method === 'eth_chainId') return numberToHex(chainId)
    const query = toQuery({ method, params: JSON.stringify(params ?? []) })
    const outcome = await askAdmin<Outcome>(`/chains/${chainId}/read${query}`, { signal })
    if ('error' in outcome) throw outcome.error
    return outcome.result
  }) as EIP1193RequestFn
}
