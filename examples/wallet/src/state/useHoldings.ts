import { useQuery } from '@tanstack/react-query'
import { useBundlerClient } from 'latchkey/react'
import type { Address } from 'viem'
import { demoAbi } from '../demoToken.ts'

export type Holdings = { demo: bigint; eth: bigint; isDeployed: boolean }

/** How often the chain is asked, in milliseconds, besides after every operation. */
const intervalMs = 5000

/** What the account holds, as the chain says. */
export function useHoldings(account: Address | undefined, demo: Address) {
  const client = useBundlerClient()
  return useQuery({
    queryKey: ['holdings', client.chain.id, account],
    enabled: account !== undefined,
    refetchInterval: intervalMs,
    queryFn: async (): Promise<Holdings> => {
      const address = account as Address
      const [balance, eth, code] = await Promise.all([
        client.readContract({ address: demo, abi: demoAbi, functionName: 'balanceOf', args: [address] }),
        client.getBalance({ address }),
        client.getCode({ address }),
      ])
      return { demo: balance, eth, isDeployed: code !== undefined && code !== '0x' }
    },
  })
}
