import { isAddress, isUser } from '../../signer/guards.ts'
import type { SignerStatus } from '../../signer/types.ts'
import { accountTypes, restoredAccounts, toSignerStatus } from './clientState.ts'
import type { AccountConfig, AccountConfigs, ClientState, PersistedClientState } from './types.ts'

/** Merges a stored value into the current state. The status is INITIALIZING, because the signer is not created yet. */
export function restoreClientState(stored: unknown, current: ClientState): ClientState {
  const known = readPersisted(stored)
  if (!known) return current
  return {
    ...current,
    user: known.user,
    accountConfigs: known.accountConfigs,
    signerStatus: toSignerStatus('INITIALIZING'),
    ...(current.accounts && { accounts: restoredAccounts(known) }),
  }
}

const statuses: readonly SignerStatus[] = [
  'INITIALIZING',
  'AUTHENTICATING',
  'AWAITING_EMAIL_AUTH',
  'AWAITING_MFA_AUTH',
  'CONNECTED',
  'DISCONNECTED',
]

/** Validates stored client state. Returns undefined if it is invalid. */
export function readPersisted(value: unknown): PersistedClientState | undefined {
  if (!isRecord(value)) return undefined
  const { signerStatus, user, accountConfigs } = value
  const status = isRecord(signerStatus) ? statuses.find((known) => known === signerStatus.status) : undefined
  if (!status) return undefined
  const read = { signerStatus: toSignerStatus(status) }
  // Removes accounts without a known owner, because the next user would get them.
  if (!isUser(user)) return { ...read, user: undefined, accountConfigs: {} }
  return { ...read, user, accountConfigs: isRecord(accountConfigs) ? readConfigs(accountConfigs) : {} }
}

function readConfigs(value: Record<string, unknown>): AccountConfigs {
  const chains = Object.entries(value).flatMap(([chainId, configs]) => {
    if (!/^\d+$/.test(chainId) || !isRecord(configs)) return []
    const known = accountTypes.flatMap((type) => {
      const config = configs[type]
      return isAccountConfig(config) ? [[type, config] as const] : []
    })
    return [[chainId, Object.fromEntries(known)] as const]
  })
  return Object.fromEntries(chains)
}

function isAccountConfig(value: unknown): value is AccountConfig {
  if (!isRecord(value)) return false
  const { version, mode, salt, owners = [], accountAddress, initCode, factoryAddress } = value
  return (
    (version === undefined || typeof version === 'string') &&
    (mode === undefined || typeof mode === 'string') &&
    (salt === undefined || typeof salt === 'bigint') &&
    (initCode === undefined || (typeof initCode === 'string' && /^0x[0-9a-f]+$/i.test(initCode))) &&
    Array.isArray(owners) &&
    [accountAddress, factoryAddress, ...owners].every((address) => address === undefined || isAddress(address))
  )
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Serializes values without a JSON form as tagged objects, such as `{"__type":"bigint","value":"<decimal>"}`. */
export function replaceTagged(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? { __type: 'bigint', value: value.toString() } : value
}

/** Restores tagged objects. Returns other values unchanged. */
export function reviveTagged(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('__type' in value) || !('value' in value)) return value
  const { __type, value: inner } = value
  return __type === 'bigint' && typeof inner === 'string' && /^-?\d+$/.test(inner) ? BigInt(inner) : value
}
