import { type UseMutateFunction, useMutation } from '@tanstack/react-query'
import type { Chain } from 'viem'
import { requirePage } from '../../wallet/actions/account.ts'
import { getChain, setChain, watchChain } from '../../wallet/actions/chain.ts'
import { useLatchkeyContext } from '../context.ts'
import { type MutationOptions, neverQueued } from '../query/mutations.ts'
import { useConfigValue } from '../query/useConfigValue.ts'

export declare namespace useChain {
  type Options = MutationOptions<void, { chain: Chain }>
  type ReturnType = {
    chain: Chain
    /** Fails with 'Chain not found in connections' for a chain without a connection. */
    setChain: UseMutateFunction<void, Error, { chain: Chain }>
    isSettingChain: boolean
  }
}

/**
 * The active chain, and a way to change it.
 *
 * @throws `PROVIDER_MISSING`.
 *
 * @example
 * ```tsx
 * import { useChain } from 'latchkey/react'
 * import { sepolia } from 'viem/chains'
 *
 * export function ChainSwitch() {
 *   const { chain, setChain } = useChain()
 *   return <button onClick={() => setChain({ chain: sepolia })}>{chain.name}</button>
 * }
 * ```
 */
export function useChain(options?: useChain.Options): useChain.ReturnType {
  const { config, queryClient } = useLatchkeyContext('useChain')
  const chain = useConfigValue('useChain', watchChain, getChain)
  const mutationFn = async (variables: { chain: Chain }) => {
    requirePage(config, 'setChain')
    return setChain(config, variables.chain)
  }
  const { mutate, isPending } = useMutation(
    { ...options, ...neverQueued, mutationKey: ['setChain'], mutationFn },
    queryClient,
  )
  return { chain, setChain: mutate, isSettingChain: isPending }
}
