import type { AccountType, LatchkeyConfig } from '../store/types.ts'
import { createAccount } from './createAccount.ts'

/** Makes the accounts that are known on the active chain. A failure shows in the state of the account. */
export function createKnownAccounts(config: LatchkeyConfig): void {
  const { accountConfigs, signerStatus } = config.clientStore.getState()
  if (!signerStatus.isConnected) return
  const known = accountConfigs[config.coreStore.getState().chain.id] ?? {}
  for (const type of Object.keys(known) as AccountType[]) createAccount({ type }, config).catch(() => {})
}
