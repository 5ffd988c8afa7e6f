import type { Chain } from 'viem'
import { setChain } from '../../wallet/actions/chain.ts'
import type { LatchkeyConfig } from '../../wallet/store/types.ts'
import type { Mutation, MutationOptions } from './types.ts'

/** Options of the mutation that changes the active chain. */
export function setChainMutationOptions(
  config: LatchkeyConfig,
  options?: MutationOptions<void, { chain: Chain }>,
): Mutation<void, { chain: Chain }> {
  return {
    ...options,
    mutationKey: ['setChain'],
    mutationFn: async ({ chain }: { chain: Chain }) => setChain(config, chain),
  }
}
