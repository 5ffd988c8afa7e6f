import { BaseError } from '../../core/errors/BaseError.ts'
import { disconnectedState } from '../store/clientState.ts'
import type { AccountState, AccountType, LatchkeyConfig } from '../store/types.ts'

export declare namespace getAccount {
  type Parameters<type extends AccountType = AccountType> = { type: type }
  type ReturnType<type extends AccountType = AccountType> = AccountState<type>
}

/**
 * Returns the state of the account of the given type on the active chain. Returns the same object until the state
 * changes.
 *
 * @example
 * ```ts
 * import { getAccount } from 'latchkey'
 * import { config } from './config.ts'
 *
 * const { status, account } = getAccount({ type: 'LightAccount' }, config)
 * if (status === 'READY') console.log(account.address)
 * ```
 */
export function getAccount<type extends AccountType>(
  { type }: getAccount.Parameters<type>,
  config: LatchkeyConfig,
): getAccount.ReturnType<type> {
  const chainId = config.coreStore.getState().chain.id
  return config.clientStore.getState().accounts?.[chainId]?.[type] ?? disconnectedState
}

/**
 * Calls the listener when the state of the account of the given type changes, including after a chain switch. Returns
 * an unsubscribe function. Throws on a server.
 *
 * @throws `CLIENT_ONLY`.
 *
 * @example
 * ```ts
 * import { watchAccount } from 'latchkey'
 * import { config } from './config.ts'
 *
 * const unsubscribe = watchAccount('LightAccount', config)(({ status }) => console.log(status))
 * unsubscribe()
 * ```
 */
export function watchAccount<type extends AccountType>(
  type: type,
  config: LatchkeyConfig,
): (listener: (state: AccountState<type>) => void) => () => void {
  return (listener) => {
    requirePage(config, 'account')
    return watchStores(config, () => getAccount({ type }, config), listener, isSame)
  }
}

/** Calls the listener when a value derived from both stores changes. Returns an unsubscribe function. */
export function watchStores<value>(
  { clientStore, coreStore }: LatchkeyConfig,
  read: () => value,
  listener: (value: value) => void,
  isSame: (left: value, right: value) => boolean = Object.is,
): () => void {
  let last = read()
  const update = () => {
    const value = read()
    if (isSame(last, value)) return
    last = value
    listener(value)
  }
  const stops = [clientStore.subscribe(update), coreStore.subscribe(update)]
  return () => {
    for (const stop of stops) stop()
  }
}

function isSame(left: AccountState, right: AccountState): boolean {
  if (left.status === 'READY' && right.status === 'READY') {
    // Compares the clients, too: accounts on two chains may have the same address.
    return left.account.address === right.account.address && left.account.client === right.account.client
  }
  if (left.status === 'RECONNECTING' && right.status === 'RECONNECTING')
    return left.account.address === right.account.address
  return left.status === right.status && left.account === right.account && left.error === right.error
}

/**
 * Throws on a server, where `property` is not available.
 *
 * @throws `CLIENT_ONLY`.
 */
export function requirePage(config: LatchkeyConfig, property: string): void {
  if (config._internal.page) return
  throw new BaseError(`${property} is only available on the client`, {
    code: 'CLIENT_ONLY',
    metaMessages: ['Read it in the browser, after mounting.'],
    name: 'ClientOnlyPropertyError',
  })
}
