import { readPersisted, replaceTagged, reviveTagged } from '../store/persistedState.ts'
import type { AccountConfig, AccountConfigs, AccountType, InitialState } from '../store/types.ts'

// State that a server receives and may pass to its page. It may be forged, so it is used only for the first render.

/** Format version. Readers ignore other versions. */
const version = 1

/** Serializes state without data that a server does not render, such as the factory call. */
export function writeInitialState(state: InitialState, expiresAtMs?: number): string {
  return JSON.stringify({ state: toKnown(state), version, expiresAtMs }, replaceTagged)
}

/** Parses a serialized state. Returns undefined if it is missing, expired or invalid. */
export function readInitialState(text: string, nowMs = Date.now()): InitialState | undefined {
  try {
    const read = JSON.parse(text, reviveTagged)
    if (read?.version !== version || read.expiresAtMs <= nowMs) return undefined
    const known = readPersisted(read.state)
    const { chainId } = read.state
    return known && toKnown({ ...known, ...(Number.isSafeInteger(chainId) && { chainId }) })
  } catch {
    return undefined
  }
}

function toKnown({ signerStatus, user, chainId, accountConfigs }: InitialState): InitialState {
  return {
    signerStatus,
    ...(chainId !== undefined && { chainId }),
    ...(user && {
      user: {
        ...(user.email !== undefined && { email: user.email }),
        orgId: user.orgId,
        userId: user.userId,
        address: user.address,
        ...(user.credentialId !== undefined && { credentialId: user.credentialId }),
      },
    }),
    accountConfigs: mapConfigs(accountConfigs, ({ version, salt, owners, accountAddress }) => ({
      ...(version && { version }),
      ...(salt !== undefined && { salt }),
      ...(owners && { owners }),
      ...(accountAddress && { accountAddress }),
    })),
  }
}

export function mapConfigs(configs: AccountConfigs, change: (config: AccountConfig) => AccountConfig): AccountConfigs {
  const chains = Object.entries(configs).map(([chainId, types]) => {
    const changed = (Object.entries(types) as [AccountType, AccountConfig][]).map(
      ([type, config]) => [type, change(config)] as const,
    )
    return [chainId, Object.fromEntries(changed)] as const
  })
  return Object.fromEntries(chains)
}
