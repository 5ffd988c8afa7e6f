import { type UseMutateAsyncFunction, type UseMutateFunction, useMutation } from '@tanstack/react-query'
import type { AuthParameters, User } from '../../signer/types.ts'
import { useLatchkeyContext } from '../context.ts'
import { authenticateMutationOptions } from '../query/authenticate.ts'
import type { MutationOptions } from '../query/types.ts'

export declare namespace useAuthenticate {
  type Options = MutationOptions<User, AuthParameters>
  type ReturnType = {
    authenticate: UseMutateFunction<User, Error, AuthParameters>
    /** Resolves when the link of the mail was opened in any tab of this browser. */
    authenticateAsync: UseMutateAsyncFunction<User, Error, AuthParameters>
    isPending: boolean
    error: Error | null
  }
}

/** Signs a person in, for apps with a form of their own. */
export function useAuthenticate(options?: useAuthenticate.Options): useAuthenticate.ReturnType {
  const { config, queryClient } = useLatchkeyContext('useAuthenticate')
  const { mutate, mutateAsync, isPending, error } = useMutation(
    authenticateMutationOptions(config, options),
    queryClient,
  )
  return { authenticate: mutate, authenticateAsync: mutateAsync, isPending, error }
}
