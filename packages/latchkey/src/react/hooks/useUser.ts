import type { User } from '../../signer/types.ts'
import { getUser, watchUser } from '../../wallet/actions/signer.ts'
import { useConfigValue } from '../query/useConfigValue.ts'

export declare namespace useUser {
  type ReturnType = User | null
}

/**
 * Returns the signed-in user, or null.
 *
 * @throws `PROVIDER_MISSING`.
 *
 * @example
 * ```tsx
 * import { useUser } from 'latchkey/react'
 *
 * export function Greeting() {
 *   const user = useUser()
 *   return <p>{user ? `Hello ${user.email ?? user.address}` : 'Please sign in'}</p>
 * }
 * ```
 */
export function useUser(): useUser.ReturnType {
  return useConfigValue('useUser', watchUser, getUser) ?? null
}
