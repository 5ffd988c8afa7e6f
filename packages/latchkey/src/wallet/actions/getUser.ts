import type { User } from '../../signer/types.ts'
import type { LatchkeyConfig } from '../store/types.ts'

/** The person signed in, or who was at the last visit while the signer is still coming back. */
export function getUser(config: LatchkeyConfig): User | undefined {
  return config.clientStore.getState().user
}
