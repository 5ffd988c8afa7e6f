import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { CodedError } from '../../core/errors/BaseError.ts'
import { getAuthMethodsQueryOptions } from '../../query/queries.ts'
import { changeAuthMethodsMutationOptions } from '../../query/signerMutations.ts'
import type { AddPasskeyOptions, Authenticator, SessionKey, WaitOptions } from '../../signer/types.ts'
import { useLatchkeyContext } from '../context.ts'
import { type MutationOptions, useSessionMutation } from '../query/mutations.ts'
import { useSignerStatus } from './useSignerStatus.ts'
import { useUser } from './useUser.ts'

type Change = changeAuthMethodsMutationOptions.Change

export declare namespace useAuthMethods {
  type Options = MutationOptions<void, Change> & {
    /**
     * Ask for the lists by itself.
     *
     * @default in sessions by e-mail; in a passkey session each list is a prompt, so `reload` asks
     */
    isEnabled?: boolean | undefined
  }
  type ReturnType = {
    /** Undefined until they are known. */
    passkeys: Authenticator[] | undefined
    /** The keys that sign for the person: the browsers signed in. */
    sessions: SessionKey[] | undefined
    isLoading: boolean
    /** Asks for both lists, now and whenever they change. In a passkey session the device prompts for each. */
    reload: () => void
    /**
     * Prompts: call it from a press. `name` is what the list shows.
     * @default browser and system, such as 'Chrome on Windows'
     */
    addPasskey: (options?: AddPasskeyOptions) => void
    removePasskey: (id: string, wait?: WaitOptions) => void
    /** Adds an address, or changes the person's; the mails to it and to the present one are waited for, see `useConfirmation`. */
    setEmail: (email: string, wait?: WaitOptions) => void
    /**
     * Deletes the account with its keys and signs out: for good after the server's grace time. The mail that asks the person is waited
     * for, see `useConfirmation`. Signing in within that time offers the way back (`useDeletion`).
     */
    deleteAccount: (wait?: WaitOptions) => void
    /** Ends the sessions named, else all but this one. */
    endSessions: (ids?: readonly string[]) => void
    /** Ends every other session, then this one. When others could not be ended, this one goes on. */
    signOutEverywhere: () => void
    /** Which change is under way. */
    changing: Change['type'] | null
    /** Of the last change, or else of the lists. */
    error: CodedError | null
  }
}

/** After these the session is over. */
const ends = new Set<Change['type']>(['signOutEverywhere', 'deleteAccount'])

/**
 * The ways in that a person has: passkeys and sessions, and how to change them.
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
  // For the person who asked: another one's prompt is not theirs.
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
