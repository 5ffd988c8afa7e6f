import { useQuery } from '@tanstack/react-query'
import { useBundlerClient } from 'latchkey/react'
import { useState } from 'react'
import type { Address } from 'viem'
import { demoAbi } from './demoToken.ts'
import { readStored, store } from './storage.ts'

/** Account types to choose from. The account of each type has its own address. */
export const kinds = [
  { name: 'LightAccount v1.1.0', type: 'LightAccount', accountParams: { version: 'v1.1.0' } },
  { name: 'LightAccount v2.0.0', type: 'LightAccount', accountParams: { version: 'v2.0.0' } },
  { name: 'MultiOwnerLightAccount', type: 'MultiOwnerLightAccount', accountParams: {} },
  { name: 'MultiOwnerModularAccount', type: 'MultiOwnerModularAccount', accountParams: {} },
  { name: 'ModularAccountV2', type: 'ModularAccountV2', accountParams: {} },
] as const
export type Kind = (typeof kinds)[number]

const key = 'latchkey-wallet:account'

/** Returns the selected account type, which is stored on this device, and its setter. */
export function useAccountKind(): [Kind, (kind: Kind) => void] {
  const [kind, setKind] = useState(readKind)
  const change = (next: Kind) => {
    store(key, next.name)
    setKind(next)
  }
  return [kind, change]
}

function readKind(): Kind {
  return findKind(readStored(key)) ?? kinds[0]
}

export function findKind(name: string | null): Kind | undefined {
  return kinds.find((kind) => kind.name === name)
}

export type Holdings = { demo: bigint; eth: bigint; isDeployed: boolean }

/** Interval of the balance queries, in milliseconds. They also run after every operation. */
const intervalMs = 5000

/** Returns the account's balances, and whether the account is deployed. */
export function useHoldings(address: Address, demo: Address) {
  const client = useBundlerClient()
  return useQuery({
    queryKey: ['holdings', client.chain.id, address],
    refetchInterval: intervalMs,
    queryFn: async (): Promise<Holdings> => {
      const [balance, eth, code] = await Promise.all([
        client.readContract({ address: demo, abi: demoAbi, functionName: 'balanceOf', args: [address] }),
        client.getBalance({ address }),
        client.getCode({ address }),
      ])
      return { demo: balance, eth, isDeployed: code !== undefined && code !== '0x' }
    },
  })
}
