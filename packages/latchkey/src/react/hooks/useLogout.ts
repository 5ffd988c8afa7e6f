import type { CodedError } from '../../core/errors/BaseError.ts'
import { logoutMutationOptions } from '../../query/signerMutations.ts'
import { type MutationOptions, type MutationResult, useConfigMutation } from '../query/mutations.ts'

export declare namespace useLogout {
  type ErrorType = CodedError<'CHUNK_FAILED' | 'CLIENT_ONLY'>
  type Options = MutationOptions<void, void, ErrorType>
  type Result = MutationResult<void, void, ErrorType>
  type ReturnType = Result & { logout: Result['mutate']; isLoggingOut: boolean }
}

/**
 * Signs out in every tab. If `error` is `CHUNK_FAILED`, the user is signed out in this browser only: see `disconnect`.
 *
 * @throws `PROVIDER_MISSING`.
 *
 * @example
 * ```tsx
 * import { useLogout } from 'latchkey/react'
 *
 * export function LogOut() {
 *   const { logout, isLoggingOut } = useLogout()
 *   return <button disabled={isLoggingOut} onClick={() => logout()}>Log out</button>
 * }
 * ```
 */
export function useLogout(options?: useLogout.Options): useLogout.ReturnType {
  const mutation = useConfigMutation('useLogout', options, logoutMutationOptions)
  return { ...mutation, logout: mutation.mutate, isLoggingOut: mutation.isPending }
}
