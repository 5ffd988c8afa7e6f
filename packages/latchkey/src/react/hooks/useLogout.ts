import { type UseMutateFunction, useMutation } from '@tanstack/react-query'
import { useLatchkeyContext } from '../context.ts'
import { logoutMutationOptions } from '../query/logout.ts'
import type { MutationOptions } from '../query/types.ts'

export declare namespace useLogout {
  type Options = MutationOptions<void, void>
  type ReturnType = { logout: UseMutateFunction<void, Error, void>; isLoggingOut: boolean; error: Error | null }
}

/** Signs out, in every tab. */
export function useLogout(options?: useLogout.Options): useLogout.ReturnType {
  const { config, queryClient } = useLatchkeyContext('useLogout')
  const { mutate, isPending, error } = useMutation(logoutMutationOptions(config, options), queryClient)
  return { logout: mutate, isLoggingOut: isPending, error }
}
