import { useQuery } from '@tanstack/react-query'
import type { Spending, SpendingRules } from 'latchkey-protocol'
import type { CodedError } from '../../core/errors/BaseError.ts'
import { getSpendingRulesQueryOptions, setSpendingRulesMutationOptions } from '../../query/spending.ts'
import type { WaitOptions } from '../../signer/WaitOptions.ts'
import { useLatchkeyContext } from '../context.ts'
import { type MutationOptions, useSessionMutation } from '../query/mutations.ts'
import { useSignerStatus } from './useSignerStatus.ts'
import { useUser } from './useUser.ts'

export declare namespace useSpendingRules {
  type Options = MutationOptions<void, setSpendingRulesMutationOptions.Variables> & {
    /**
     * Loads the rules automatically.
     *
     * @default true in e-mail sessions; false in passkey sessions, where loading prompts: call `reload`
     */
    isEnabled?: boolean | undefined
  }
  type ReturnType = {
    /** Null without rules; undefined until loaded. */
    rules: SpendingRules | null | undefined
    /** Amounts spent in the last 24 hours. An operation counts when it is signed. Undefined until loaded. */
    spending: readonly Spending[] | undefined
    isLoading: boolean
    reload: () => void
    /**
     * Changes the rules once the user has confirmed the change by e-mail; see `useConfirmation`. Null removes the
     * rules.
     */
    setRules: (rules: SpendingRules | null, wait?: WaitOptions) => void
    isChanging: boolean
    /** Error of the last change, otherwise the error of loading the rules. */
    error: CodedError | null
  }
}

/**
 * Reads and changes the spending limits. Above a limit, the key-custody service signs only after the user has
 * confirmed. The limits also apply to scripts in the app's page.
 *
 * @throws `PROVIDER_MISSING`.
 *
 * @example
 * ```tsx
 * import { useSpendingRules } from 'latchkey/react'
 * import { parseEther } from 'viem'
 *
 * export function Limits() {
 *   const { rules, setRules, isChanging } = useSpendingRules()
 *   const limits = [{ chainId: 1, token: 'native', perDay: String(parseEther('0.1')) }] as const
 *   return (
 *     <button disabled={isChanging} onClick={() => setRules({ limits, unlisted: 'review', recipients: null })}>
 *       {rules ? 'Change my limit' : 'Ask me above 0.1 a day'}
 *     </button>
 *   )
 * }
 * ```
 */
export function useSpendingRules(options: useSpendingRules.Options = {}): useSpendingRules.ReturnType {
  const { isEnabled, ...mutation } = options
  const { config, queryClient } = useLatchkeyContext('useSpendingRules')
  const { isConnected } = useSignerStatus()
  const user = useUser()
  const enabled = isConnected && (isEnabled ?? user?.credentialId === undefined)
  const loaded = useQuery({ ...getSpendingRulesQueryOptions(config, { user }), enabled }, queryClient)
  const { mutate, isPending, error } = useSessionMutation('useSpendingRules', mutation, (config) => {
    const { mutationFn, ...rest } = setSpendingRulesMutationOptions(config)
    return {
      ...rest,
      mutationFn: async (variables: setSpendingRulesMutationOptions.Variables) => {
        await mutationFn(variables)
        if (enabled) void loaded.refetch()
      },
    }
  })
  return {
    rules: isConnected ? loaded.data?.rules : undefined,
    spending: isConnected ? loaded.data?.spending : undefined,
    isLoading: loaded.isFetching,
    reload: () => void loaded.refetch(),
    setRules: (rules, wait) => mutate({ rules, wait }),
    isChanging: isPending,
    error: error ?? loaded.error,
  }
}
