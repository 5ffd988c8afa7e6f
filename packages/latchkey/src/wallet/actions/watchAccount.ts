import { clientOnly } from '../errors/clientOnly.ts'
import type { AccountState, AccountType, LatchkeyConfig } from '../store/types.ts'
import { getAccount } from './getAccount.ts'

/**
 * Calls the listener when the state of the account of a type changes, also by a change of the chain. Returns an
 * unsubscribe. Listening throws 'account is only available on the client' (`CLIENT_ONLY`) on a server.
 */
export function watchAccount<type extends AccountType>(
  type: type,
  config: LatchkeyConfig,
): (listener: (state: AccountState<type>) => void) => () => void {
  return (listener) => {
    if (!config.clientStore.getState().accounts) throw clientOnly('account')
    let last = getAccount({ type }, config)
    const look = () => {
      const state = getAccount({ type }, config)
      if (isSame(last, state)) return
      last = state
      listener(state)
    }
    const stops = [config.clientStore.subscribe(look), config.coreStore.subscribe(look)]
    return () => {
      for (const stop of stops) stop()
    }
  }
}

function isSame(left: AccountState, right: AccountState): boolean {
  if (left.status === 'READY' && right.status === 'READY') {
    // An account object belongs to a chain: the same address elsewhere is another account.
    return left.account.address === right.account.address && left.account.client === right.account.client
  }
  if (left.status === 'RECONNECTING' && right.status === 'RECONNECTING')
    return left.account.address === right.account.address
  return left.status === right.status && left.account === right.account && left.error === right.error
}
