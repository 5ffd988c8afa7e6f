import { useEffect, useRef } from 'react'
import { createAccount } from '../../wallet/actions/createAccount.ts'
import type { AccountConfig, AccountState, AccountType, LatchkeyConfig } from '../../wallet/store/types.ts'

type Parameters = {
  config: LatchkeyConfig
  type: AccountType
  accountParams: AccountConfig | undefined
  /** Somebody is signed in, and their account is to be made. */
  isWanted: boolean
  /** There is none yet. */
  isMissing: boolean
  status: AccountState['status']
}

/** Makes the account when it is missing or another is named. One that failed is logged, and not tried again. */
export function useAccountCreation(parameters: Parameters): void {
  const { config, type, accountParams, isWanted, isMissing, status } = parameters
  const name = nameOf(accountParams)
  const tried = useRef(name)
  // The account itself does not count: two places that name different ones would switch for ever.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above; `name` stands for the parameters
  useEffect(() => {
    const isRenamed = tried.current !== name
    tried.current = name
    if (!isWanted || (status === 'ERROR' && !isRenamed)) return
    createAccount({ type, accountParams }, config).catch(console.error)
  }, [isWanted, isMissing, name, type, config])
}

/** The same text for the same parameters, whatever object holds them. */
function nameOf(accountParams: AccountConfig = {}): string {
  return JSON.stringify(accountParams, (_, value) => (typeof value === 'bigint' ? String(value) : value))
}
