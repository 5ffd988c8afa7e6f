import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { AddPasskeyOptions, Authenticator, SessionKey, Signer, WaitOptions } from '../../signer/types.ts'
import { disconnect } from '../../wallet/actions/session.ts'
import type { LatchkeyConfig } from '../../wallet/store/types.ts'
import { useLatchkeyContext } from '../context.ts'
import { type MutationOptions, neverQueued, useSignerMutation } from '../query/mutations.ts'
import { requireSigner } from '../query/requireSigner.ts'
import { useSignerStatus } from './useSignerStatus.ts'
import { useUser } from './useUser.ts'

type Change =
  | { type: 'addPasskey'; options?: AddPasskeyOptions | undefined }
  | { type: 'removePasskey'; id: string; wait?: WaitOptions | undefined }
  | { type: 'endSessions'; ids?: readonly string[] | undefined }
  | { type: 'signOutEverywhere' }

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
    /** Prompts: call it from a press. `name` is what the list shows. */
    addPasskey: (options?: AddPasskeyOptions) => void
    removePasskey: (id: string, wait?: WaitOptions) => void
    /** Ends the sessions named, else all but this one. */
    endSessions: (ids?: readonly string[]) => void
    /** Ends every other session, then this one. When others could not be ended, this one goes on. */
    signOutEverywhere: () => void
    /** Which change is under way. */
    changing: Change['type'] | null
    /** Of the last change, or else of the lists. */
    error: Error | null
  }
}

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
      queryKey: ['latchkey', 'authMethods', user?.orgId, user?.userId],
      enabled: isConnected && isAsked,
      ...neverQueued,
      // A query of a passkey session prompts: once, and not again by itself.
      retry: false,
      staleTime: Number.POSITIVE_INFINITY,
      queryFn: async () => {
        const signer = requireSigner(config)
        const passkeys = await signer.listAuthenticators()
        return { passkeys, sessions: await signer.listSessions() }
      },
    },
    queryClient,
  )
  const { mutate, variables, isPending, error } = useSignerMutation<void, Change>({
    hook: 'useAuthMethods',
    key: 'changeAuthMethods',
    options: mutation,
    endsWithSession: true,
    async act(signer, change) {
      await perform(signer, config, change)
      if (isAsked && change.type !== 'signOutEverywhere') void lists.refetch()
    },
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
    endSessions: (ids) => mutate({ type: 'endSessions', ids }),
    signOutEverywhere: () => mutate({ type: 'signOutEverywhere' }),
    changing: isPending ? variables.type : null,
    error: error ?? lists.error,
  }
}

async function perform(signer: Signer, config: LatchkeyConfig, change: Change): Promise<void> {
  switch (change.type) {
    case 'addPasskey':
      await signer.addPasskey(change.options)
      return
    case 'removePasskey':
      return signer.removeAuthenticator(change.id, change.wait)
    case 'endSessions':
      await signer.revokeSessions(change.ids)
      return
    case 'signOutEverywhere':
      await signer.revokeSessions()
      return disconnect(config)
  }
}
