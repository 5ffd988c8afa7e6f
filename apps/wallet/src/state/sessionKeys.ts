import type { Address } from 'viem'

const prefix = 'latchkey-wallet:session-key:'

/** Returns this tab's storage key for an account's session key. */
export const sessionKeyName = (account: Address) => `${prefix}${account}`

export function hasSessionKey(account: Address): boolean {
  return readTabStorage()?.getItem(sessionKeyName(account)) != null
}

/** Removes the session keys of all accounts from this tab. */
export function forgetSessionKeys(): void {
  const storage = readTabStorage()
  for (const name of Object.keys(storage ?? {})) if (name.startsWith(prefix)) storage?.removeItem(name)
}

/** Returns null if the browser refuses access to the storage. */
function readTabStorage(): Storage | null {
  try {
    return window.sessionStorage
  } catch {
    return null
  }
}
