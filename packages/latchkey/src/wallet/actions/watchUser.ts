import type { User } from '../../signer/types.ts'
import type { LatchkeyConfig } from '../store/types.ts'

/** Calls the listener when another person, or nobody, is signed in. Returns an unsubscribe. */
export function watchUser(config: LatchkeyConfig): (listener: (user: User | undefined) => void) => () => void {
  return (listener) =>
    config.clientStore.subscribe((state) => state.user, listener, {
      equalityFn: (left, right) => left?.userId === right?.userId,
    })
}
