import type { User } from '../../signer/types.ts'
import type { LatchkeyConfig } from '../store/types.ts'

export declare namespace getUser {
  type ReturnType = User | undefined
}

/** The person signed in, or who was at the last visit while the signer is still coming back. */
export function getUser(config: LatchkeyConfig): getUser.ReturnType {
  return config.clientStore.getState().user
}
