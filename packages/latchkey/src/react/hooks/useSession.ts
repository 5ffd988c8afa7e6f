import { useEffect, useState } from 'react'
import type { CodedError } from '../../core/errors/BaseError.ts'
import { extendSessionMutationOptions } from '../../query/signerMutations.ts'
import type { EndedSession } from '../../signer/pending.ts'
import type { Signer, User } from '../../signer/types.ts'
import type { WaitOptions } from '../../signer/WaitOptions.ts'
import { type MutationOptions, type MutationResult, useConfigMutation } from '../query/mutations.ts'
import { useSignerOf } from './useSigner.ts'
import { useSignerStatus } from './useSignerStatus.ts'

// biome-ignore lint/suspicious/noConfusingVoidType: it lets the mutation be called without an argument
type Variables = WaitOptions | void

export declare namespace useSession {
  type Options = MutationOptions<User, Variables>
  type ReturnType = {
    /** Expiration time of the session, in milliseconds since 1970; null without a session. */
    expiresAt: number | null
    /** Whole seconds until the session expires. Rerenders the component once a second. */
    secondsLeft: number | null
    /**
     * Previous session, if it ended without a sign-out. Show the user why, and offer to sign in again. Null once the
     * user is signed in.
     */
    ended: EndedSession | null
    /**
     * Signs in again with the same method: an e-mail to the same address, or a passkey prompt. The current session
     * continues until the new sign-in succeeds.
     */
    extendSession: MutationResult<User, Variables>['mutate']
    isExtending: boolean
    error: CodedError | null
  }
}

const secondMs = 1000

/**
 * Returns the session's expiration time and a function that extends the session.
 *
 * @throws `PROVIDER_MISSING`.
 *
 * @example
 * ```tsx
 * import { useSession } from 'latchkey/react'
 *
 * export function SessionEnd() {
 *   const { secondsLeft, extendSession, isExtending } = useSession()
 *   if (secondsLeft === null || secondsLeft > 60) return null
 *   return (
 *     <button disabled={isExtending} onClick={() => extendSession()}>
 *       Your session ends in {secondsLeft} s. Stay signed in
 *     </button>
 *   )
 * }
 * ```
 */
export function useSession(options?: useSession.Options): useSession.ReturnType {
  const signer = useSignerOf('useSession')
  const { status } = useSignerStatus()
  const [read, setRead] = useState(none)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the status says when there is another session
  useEffect(() => {
    const update = () => setRead((last) => keepSame(last, readSession(signer)))
    update()
    // Polling also detects an extension in another tab.
    const timer = setInterval(update, secondMs)
    return () => clearInterval(timer)
  }, [signer, status])
  const { mutate, isPending, error } = useConfigMutation('useSession', options, extendSessionMutationOptions)
  return { ...read, extendSession: mutate, isExtending: isPending, error }
}

type Read = Pick<useSession.ReturnType, 'expiresAt' | 'secondsLeft' | 'ended'>

const none: Read = { expiresAt: null, secondsLeft: null, ended: null }

function readSession(signer: Signer | null): Read {
  const expiresAt = signer?.expiresAt ?? null
  const ended = signer?.ended ?? null
  if (expiresAt === null) return { ...none, ended }
  return { expiresAt, secondsLeft: Math.max(0, Math.ceil((expiresAt - Date.now()) / secondMs)), ended }
}

/** Returns the same object for unchanged values, which prevents a render. */
function keepSame(last: Read, next: Read): Read {
  return last.expiresAt === next.expiresAt && last.secondsLeft === next.secondsLeft && last.ended === next.ended
    ? last
    : next
}
