import { authenticateMutationOptions } from '../../query/signerMutations.ts'
import type { AuthParameters } from '../../signer/AuthParameters.ts'
import type { User } from '../../signer/types.ts'
import { type MutationOptions, type MutationResult, useConfigMutation } from '../query/mutations.ts'

export declare namespace useAuthenticate {
  type Options = MutationOptions<User, AuthParameters>
  type ReturnType = MutationResult<User, AuthParameters> & {
    authenticate: MutationResult<User, AuthParameters>['mutate']
    /** Resolves when the link in the e-mail is opened in any tab of this browser. */
    authenticateAsync: MutationResult<User, AuthParameters>['mutateAsync']
  }
}

/**
 * Signs a user in, for apps with their own form.
 *
 * @throws `PROVIDER_MISSING`.
 *
 * @example
 * ```tsx
 * import { useAuthenticate } from 'latchkey/react'
 *
 * export function SignIn({ email }: { email: string }) {
 *   const { authenticate, isPending } = useAuthenticate()
 *   const text = isPending ? 'Open the link we sent you' : 'Sign in'
 *   return <button onClick={() => authenticate({ type: 'email', email })}>{text}</button>
 * }
 * ```
 */
export function useAuthenticate(options?: useAuthenticate.Options): useAuthenticate.ReturnType {
  const mutation = useConfigMutation('useAuthenticate', options, authenticateMutationOptions)
  return { ...mutation, authenticate: mutation.mutate, authenticateAsync: mutation.mutateAsync }
}
