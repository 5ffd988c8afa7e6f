import { type UseMutateFunction, useMutation } from '@tanstack/react-query'
import { requirePage } from '../../wallet/actions/account.ts'
import { disconnect } from '../../wallet/actions/session.ts'
import { useLatchkeyContext } from '../context.ts'
import { type MutationOptions, neverQueued } from '../query/mutations.ts'

export declare namespace useLogout {
  type Options = MutationOptions<void, void>
  type ReturnType = { logout: UseMutateFunction<void, Error, void>; isLoggingOut: boolean; error: Error | null }
}

/**
 * Signs out, in every tab.
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
  const { config, queryClient } = useLatchkeyContext('useLogout')
  const mutationFn = async () => {
    requirePage(config, 'signer')
    return disconnect(config)
  }
  const { mutate, isPending, error } = useMutation(
    { ...options, ...neverQueued, mutationKey: ['logout'], mutationFn },
    queryClient,
  )
  return { logout: mutate, isLoggingOut: isPending, error }
}
