import { getAccessTokenMutationOptions } from '../../query/signerMutations.ts'
import { type MutationOptions, type MutationResult, useSessionMutation } from '../query/mutations.ts'

export declare namespace useAccessToken {
  type Options = MutationOptions<string, void>
  type Result = MutationResult<string, void>
  type ReturnType = Result & {
    getAccessToken: Result['mutate']
    /** Resolves to the token. Call it for each request: the token is cached until shortly before it expires. */
    getAccessTokenAsync: Result['mutateAsync']
    accessToken: string | undefined
    isGettingAccessToken: boolean
  }
}

/**
 * Returns functions that get access tokens. The app's server identifies the signed-in user by such a token, which is
 * valid for five minutes; see `verifyAccessToken` of `latchkey/server`.
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
