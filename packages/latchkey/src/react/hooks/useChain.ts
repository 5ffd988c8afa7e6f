import { type UseMutateFunction, useMutation } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import type { Chain } from 'viem'
import { getChain, watchChain } from '../../wallet/actions/chain.ts'
import { useLatchkeyContext } from '../context.ts'
import { setChainMutationOptions } from '../query/setChain.ts'
import type { MutationOptions } from '../query/types.ts'

export declare namespace useChain {
  type Options = MutationOptions<void, { chain: Chain }>
  type ReturnType = {
    chain: Chain
    setChain: UseMutateFunction<void, Error, { chain: Chain }>
    isSettingChain: boolean
  }
}

/** The active chain. Setting one without a connection fails with 'Chain not found in connections'. */
export function useChain(options?: useChain.Options): useChain.ReturnType {
  const { config, queryClient } = useLatchkeyContext('useChain')
  const read = () => getChain(config)
  const chain = useSyncExternalStore(watchChain(config), read, read)
  const { mutate, isPending } = useMutation(setChainMutationOptions(config, options), queryClient)
  return { chain, setChain: mutate, isSettingChain: isPending }
}
