import type { Address } from 'viem'

const prefix = 'latchkey-wallet:session-key:'

/** Returns the key in this tab's storage under which an account's session key is stored. */
export const sessionKeyName = (account: Address) => `${prefix}${account}`

export function hasSessionKey(account: Address): boolean {
  return readTabStorage()?.getItem(sessionKeyName(account)) != null
}

/** Removes the session keys of all accounts from this tab. */
export function forgetSessionKeys(): void {
  const storage = readTabStorage()
  for (const name of Object.keys(storage ?? {})) if (name.startsWith(prefix)) storage?.removeItem(name)
}

/** Returns the tab's storage; null if the browser refuses access. */
function readTabStorage(): Storage | null {
  try {
    return window.sessionStorage
  } catch {
    return null
  }
}
