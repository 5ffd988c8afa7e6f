import { getAccessTokenMutationOptions } from '../../query/signerMutations.ts'
import { type MutationOptions, type MutationResult, useSessionMutation } from '../query/mutations.ts'

export declare namespace useAccessToken {
  type Options = MutationOptions<string, void>
  type Result = MutationResult<string, void>
  type ReturnType = Result & {
    getAccessToken: Result['mutate']
    /** Resolves to the token. Call it for each request: the token is cached until shortly before its end. */
    getAccessTokenAsync: Result['mutateAsync']
    accessToken: string | undefined
    isGettingAccessToken: boolean
  }
}

/**
 * Returns access tokens, with which the app's own server learns who is signed in. A token is valid for five minutes;
 * see `verifyAccessToken` of `latchkey/server`.
 *
 * @throws `PROVIDER_MISSING`.
 *
 * @example
 * ```tsx
 * import { useAccessToken } from 'latchkey/react'
 *
 * export function Orders() {
 *   const { getAccessTokenAsync } = useAccessToken()
 *   const load = async () => {
 *     const token = await getAccessTokenAsync()
 *     return fetch('/api/orders', { headers: { Authorization: `Bearer ${token}` } })
 *   }
 *   return <button onClick={load}>Load orders</button>
 * }
 * ```
 */
export function useAccessToken(options: useAccessToken.Options = {}): useAccessToken.ReturnType {
  const mutation = useSessionMutation('useAccessToken', options, getAccessTokenMutationOptions)
  return {
    ...mutation,
    getAccessToken: mutation.mutate,
    getAccessTokenAsync: mutation.mutateAsync,
    accessToken: mutation.data,
    isGettingAccessToken: mutation.isPending,
  }
}
