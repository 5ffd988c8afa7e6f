import { disconnectedState } from '../store/accountStates.ts'
import type { AccountState, AccountType, LatchkeyConfig } from '../store/types.ts'

export declare namespace getAccount {
  type Parameters<type extends AccountType = AccountType> = { type: type }
  type ReturnType<type extends AccountType = AccountType> = AccountState<type>
}

/** State of the account of a type on the active chain. The same object as long as nothing changes. */
export function getAccount<type extends AccountType>(
  { type }: getAccount.Parameters<type>,
  config: LatchkeyConfig,
): getAccount.ReturnType<type> {
  const chainId = config.coreStore.getState().chain.id
  return config.clientStore.getState().accounts?.[chainId]?.[type] ?? disconnectedState
}
