import { useEffect, useState } from 'react'
import type { CodedError } from '../../core/errors/BaseError.ts'
import { extendSessionMutationOptions } from '../../query/signerMutations.ts'
import type { EndedSession, Signer, User, WaitOptions } from '../../signer/types.ts'
import { type MutationOptions, type MutationResult, useConfigMutation } from '../query/mutations.ts'
import { useSigner } from './useSigner.ts'
import { useSignerStatus } from './useSignerStatus.ts'

// biome-ignore lint/suspicious/noConfusingVoidType: it lets the mutation be called without an argument
type Variables = WaitOptions | void

export declare namespace useSession {
  type Options = MutationOptions<User, Variables>
  type ReturnType = {
    /** When the session ends, in milliseconds since 1970; null while there is none. */
    expiresAt: number | null
    /** Whole seconds until then. It changes once a second, and renders its component as often. */
    secondsLeft: number | null
    /** The session before, when it ended by itself: say so, and offer to come back. Null once the person is signed in. */
    ended: EndedSession | null
    /**
     * Signs the same way in once more: by a mail to the same address, or by a prompt for the passkey. The session in use
     * goes on until then, and also when this fails.
     */
    extendSession: MutationResult<User, Variables>['mutate']
    isExtending: boolean
    error: CodedError | null
  }
}

const secondMs = 1000

/**
 * The session's end, and a way to begin the next one before it.
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
  const signer = useSigner()
  const { status } = useSignerStatus()
  const [read, setRead] = useState(none)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the status says when there is another session
  useEffect(() => {
    const update = () => setRead((last) => keepSame(last, readSession(signer)))
    update()
    // Also what another tab has extended is seen by looking.
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

/** Without a change nothing is rendered. */
function keepSame(last: Read, next: Read): Read {
  return last.expiresAt === next.expiresAt && last.secondsLeft === next.secondsLeft && last.ended === next.ended
    ? last
    : next
}
