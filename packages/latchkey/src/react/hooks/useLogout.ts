import type { UseMutateFunction } from '@tanstack/react-query'
import { logoutMutationOptions } from '../../query/signerMutations.ts'
import { type MutationOptions, type MutationResult, useConfigMutation } from '../query/mutations.ts'

export declare namespace useLogout {
  type Options = MutationOptions<void, void>
  type ReturnType = MutationResult<void, void> & { logout: UseMutateFunction<void, Error, void>; isLoggingOut: boolean }
}

/**
 * Signs out, in every tab. With `CHUNK_FAILED` in `error` it was in this browser only: see `disconnect`.
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
