import { forgetPending, signedOut } from '../store/accountStates.ts'
import type { LatchkeyConfig } from '../store/types.ts'

/** Signs out, in every tab: user and accounts are forgotten. */
export async function disconnect(config: LatchkeyConfig): Promise<void> {
  const { signer } = config.clientStore.getState()
  forgetPending(config._internal.pendingAccounts)
  await signer?.disconnect()
  config.clientStore.setState(signedOut)
}
