import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { CodedError } from '../../core/errors/BaseError.ts'
import { getProvidersQueryOptions } from '../../query/queries.ts'
import { changeProvidersMutationOptions } from '../../query/signerMutations.ts'
import type { ConnectedProvider } from '../../signer/Credentials.ts'
import type { WaitOptions } from '../../signer/WaitOptions.ts'
import { useLatchkeyContext } from '../context.ts'
import { type MutationOptions, useSessionMutation } from '../query/mutations.ts'
import { useSignerStatus } from './useSignerStatus.ts'
import { useUser } from './useUser.ts'

type Change = changeProvidersMutationOptions.Change

export declare namespace useConnectedProviders {
  type Options = MutationOptions<void, Change> & {
    /**
     * Loads the list automatically.
     *
     * @default true in e-mail sessions; false in passkey sessions, where loading the list prompts the user; call `reload`
     */
    isEnabled?: boolean | undefined
  }
  type ReturnType = {
    /** Undefined until loaded. */
    providers: ConnectedProvider[] | undefined
    isLoading: boolean
    /** Loads the list, immediately and after each later change. */
    reload: () => void
    /**
     * Adds an account at an identity provider. Opens a window, so call it from a click handler. Waits until the user
     * confirms the confirmation e-mail; see `useConfirmation`.
     */
    addProvider: (provider: string, wait?: WaitOptions) => void
    removeProvider: (id: string, wait?: WaitOptions) => void
    /** Change in progress. */
    changing: Change['type'] | null
    /** Error of the last change, otherwise the error of loading the list. */
    error: CodedError | null
  }
}

/**
 * Lists the user's accounts at identity providers, adds and removes them.
 *
 * @throws `PROVIDER_MISSING`.
 *
 * @example
 * ```tsx
 * import { useConnectedProviders } from 'latchkey/react'
 *
 * export function Providers() {
 *   const { providers = [], addProvider, removeProvider, changing } = useConnectedProviders()
 *   return (
 *     <ul aria-busy={changing !== null}>
 *       {providers.map(({ id, provider }) => (
 *         <li key={id}>
 *           {provider} <button onClick={() => removeProvider(id)}>Remove</button>
 *         </li>
 *       ))}
 *       <button onClick={() => addProvider('google')}>Add Google</button>
 *     </ul>
 *   )
 * }
 * ```
 */
export function useConnectedProviders(options: useConnectedProviders.Options = {}): useConnectedProviders.ReturnType {
  const { isEnabled, ...mutation } = options
  const { config, queryClient } = useLatchkeyContext('useConnectedProviders')
  const { isConnected } = useSignerStatus()
  const user = useUser()
  // Reloads only for the user who made the change. A prompt for another user would be unexpected.
  const [asked, setAsked] = useState<string>()
  const isAsked = isEnabled ?? (user?.credentialId === undefined || asked === user.userId)
  const list = useQuery({ ...getProvidersQueryOptions(config, { user }), enabled: isConnected && isAsked }, queryClient)
  const { mutate, variables, isPending, error } = useSessionMutation('useConnectedProviders', mutation, (config) => {
    const options = changeProvidersMutationOptions(config)
    const mutationFn = async (change: Change) => {
      await options.mutationFn(change)
      if (isAsked) void list.refetch()
    }
    return { ...options, mutationFn }
  })
  return {
    providers: isConnected ? list.data : undefined,
    isLoading: list.isFetching,
    reload() {
      setAsked(user?.userId)
      if (isAsked) void list.refetch()
    },
    addProvider: (provider, wait) => mutate({ type: 'addProvider', provider, wait }),
    removeProvider: (id, wait) => mutate({ type: 'removeProvider', id, wait }),
    changing: isPending ? variables.type : null,
    error: error ?? list.error,
  }
}
