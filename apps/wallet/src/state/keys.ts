import { useQuery } from '@tanstack/react-query'
import { listValidations } from 'latchkey/accounts'
import { useBundlerClient } from 'latchkey/react'
import type { Address } from 'viem'

/** Returns the keys that may act for a ModularAccountV2, without its owner. */
export function useKeys(account: Address, isDeployed: boolean) {
  const reader = useBundlerClient()
  return useQuery({
    queryKey: ['account', 'keys', reader.chain.id, account, isDeployed],
    refetchInterval: 5000,
    queryFn: () => (isDeployed ? listValidations(reader, { account }) : []),
  })
}
