import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { CodedError } from '../../core/errors/BaseError.ts'
import { getAuthMethodsQueryOptions } from '../../query/queries.ts'
import { changeAuthMethodsMutationOptions } from '../../query/signerMutations.ts'
import type { Authenticator, SessionKey } from '../../signer/Credentials.ts'
import type { AddPasskeyOptions } from '../../signer/types.ts'
import type { WaitOptions } from '../../signer/WaitOptions.ts'
import { useLatchkeyContext } from '../context.ts'
import { type MutationOptions, useSessionMutation } from '../query/mutations.ts'
import { useSignerStatus } from './useSignerStatus.ts'
import { useUser } from './useUser.ts'

type Change = changeAuthMethodsMutationOptions.Change

export declare namespace useAuthMethods {
  type Options = MutationOptions<void, Change> & {
    /**
     * Loads the lists automatically.
     *
     * @default true in e-mail sessions; false in passkey sessions, where each list prompts: call `reload`
     */
    isEnabled?: boolean | undefined
  }
  type ReturnType = {
    /** Passkeys; undefined until loaded. */
    passkeys: Authenticator[] | undefined
    /** Session keys of the user, one for each signed-in browser. */
    sessions: SessionKey[] | undefined
    isLoading: boolean
    /**
     * Loads both lists, immediately and after each later change. In a passkey session, the device prompts for each
     * list.
     */
    reload: () => void
    /**
     * Prompts the user: call it from a click handler. `name` is shown in the list.
     * @default browser and system, such as 'Chrome on Windows'
     */
    addPasskey: (options?: AddPasskeyOptions) => void
    removePasskey: (id: string, wait?: WaitOptions) => void
    /**
     * Adds or changes the user's e-mail address. Waits until the user confirms the confirmation e-mails; see
     * `useConfirmation`.
     */
    setEmail: (email: string, wait?: WaitOptions) => void
    /**
     * Deletes the account and its keys, and signs out. The deletion becomes permanent after the server's grace period.
     * Waits for the user's confirmation by e-mail; see `useConfirmation`. A sign-in within the grace period offers to
     * cancel the deletion; see `useDeletion`.
     */
    deleteAccount: (wait?: WaitOptions) => void
    /** Ends the given sessions, by default all but this one. */
    endSessions: (ids?: readonly string[]) => void
    /** Ends every other session, then this session. If ending the other sessions fails, this session continues. */
    signOutEverywhere: () => void
    /** Change in progress. */
    changing: Change['type'] | null
    /** Error of the last change, otherwise the error of loading the lists. */
    error: CodedError | null
  }
}

/** Changes that end the session. */
const ends = new Set<Change['type']>(['signOutEverywhere', 'deleteAccount'])

/**
 * Lists the user's sign-in methods, passkeys and sessions, and changes them.
 *
 * @throws `PROVIDER_MISSING`.
 *
 * @example
 * ```tsx
 * import { useAuthMethods } from 'latchkey/react'
 *
 * export function Passkeys() {
 *   const { passkeys = [], addPasskey, removePasskey, signOutEverywhere, changing } = useAuthMethods()
 *   return (
 *     <ul aria-busy={changing !== null}>
 *       {passkeys.map(({ id, name }) => (
 *         <li key={id}>
 *           {name} <button onClick={() => removePasskey(id)}>Remove</button>
 *         </li>
 *       ))}
 *       <button onClick={() => addPasskey({ name: 'My laptop' })}>Add a passkey</button>
 *       <button onClick={signOutEverywhere}>Sign out everywhere</button>
 *     </ul>
 *   )
 * }
 * ```
 */
export function useAuthMethods(options: useAuthMethods.Options = {}): useAuthMethods.ReturnType {
  const { isEnabled, ...mutation } = options
  const { config, queryClient } = useLatchkeyContext('useAuthMethods')
  const { isConnected } = useSignerStatus()
  const user = useUser()
  // Reloads only for the user who made the change. A prompt for another user would be unexpected.
  const [asked, setAsked] = useState<string>()
  const isAsked = isEnabled ?? (user?.credentialId === undefined || asked === user.userId)
  const lists = useQuery(
    {
      ...getAuthMethodsQueryOptions(config, { user }),
      enabled: isConnected && isAsked,
    },
    queryClient,
  )
  const { mutate, variables, isPending, error } = useSessionMutation('useAuthMethods', mutation, (config) => {
    const options = changeAuthMethodsMutationOptions(config)
    const mutationFn = async (change: Change) => {
      await options.mutationFn(change)
      if (isAsked && !ends.has(change.type)) void lists.refetch()
    }
    return { ...options, mutationFn }
  })
  return {
    passkeys: isConnected ? lists.data?.passkeys : undefined,
    sessions: isConnected ? lists.data?.sessions : undefined,
    isLoading: lists.isFetching,
    reload() {
      setAsked(user?.userId)
      if (isAsked) void lists.refetch()
    },
    addPasskey: (options) => mutate({ type: 'addPasskey', options }),
    removePasskey: (id, wait) => mutate({ type: 'removePasskey', id, wait }),
    setEmail: (email, wait) => mutate({ type: 'setEmail', email, wait }),
    deleteAccount: (wait) => mutate({ type: 'deleteAccount', wait }),
    endSessions: (ids) => mutate({ type: 'endSessions', ids }),
    signOutEverywhere: () => mutate({ type: 'signOutEverywhere' }),
    changing: isPending ? variables.type : null,
    error: error ?? lists.error,
  }
}
