import { useSyncExternalStore } from 'react'
import type { User } from '../../signer/types.ts'
import { getUser, watchUser } from '../../wallet/actions/signer.ts'
import { useLatchkeyContext } from '../context.ts'

export declare namespace useUser {
  type ReturnType = User | null
}

/** The person signed in, or null. */
export function useUser(): useUser.ReturnType {
  const { config } = useLatchkeyContext('useUser')
  const read = () => getUser(config) ?? null
  return useSyncExternalStore(watchUser(config), read, read)
}
