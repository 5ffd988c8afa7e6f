import type { Chain } from 'viem'
import type { CodedError } from '../../core/errors/BaseError.ts'
import { setChainMutationOptions } from '../../query/signerMutations.ts'
import { getChain, watchChain } from '../../wallet/actions/chain.ts'
import { type MutationOptions, type MutationResult, useConfigMutation } from '../query/mutations.ts'
import { useConfigValue } from '../query/useConfigValue.ts'

export declare namespace useChain {
  type ErrorType = CodedError<'CHAIN_NOT_FOUND' | 'CLIENT_ONLY'>
  type Options = MutationOptions<void, { chain: Chain }, ErrorType>
  type Result = MutationResult<void, { chain: Chain }, ErrorType>
  type ReturnType = Result & {
    chain: Chain
    /** Fails with 'Chain not found in connections' for a chain without a connection. */
    setChain: Result['mutate']
    isSettingChain: boolean
  }
}

/**
 * Returns the active chain, and a function to change it.
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
  const chain = useConfigValue('useChain', watchChain, getChain)
  const mutation = useConfigMutation('useChain', options, setChainMutationOptions)
  return { ...mutation, chain, setChain: mutation.mutate, isSettingChain: mutation.isPending }
}
