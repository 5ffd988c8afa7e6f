import { isAddress, isHex } from 'viem'
import { isUser } from '../../signer/isUser.ts'
import type { SignerStatus } from '../../signer/types.ts'
import { signerStatusObject } from './signerStatusObject.ts'
import type { AccountConfig, AccountConfigs, AccountType, PersistedClientState } from './types.ts'

const statuses: readonly SignerStatus[] = [
  'INITIALIZING',
  'AUTHENTICATING',
  'AWAITING_EMAIL_AUTH',
  'CONNECTED',
  'DISCONNECTED',
]
const accountTypes: readonly AccountType[] = ['LightAccount', 'MultiOwnerModularAccount']

/** Stored client state that can be relied on; undefined when it is not what this version writes. */
export function readPersisted(value: unknown): PersistedClientState | undefined {
  if (!isRecord(value)) return undefined
  const { signerStatus, user, accountConfigs } = value
  const status = isRecord(signerStatus) ? statuses.find((known) => known === signerStatus.status) : undefined
  if (!status) return undefined
  const signerStatusOf = { signerStatus: signerStatusObject(status) }
  // Accounts nobody is known to own would be taken for those of whoever signs in next.
  if (!isUser(user)) return { ...signerStatusOf, user: undefined, accountConfigs: {} }
  return { ...signerStatusOf, user, accountConfigs: isRecord(accountConfigs) ? readConfigs(accountConfigs) : {} }
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
  const { version, salt, owners = [], accountAddress, initCode, factoryAddress } = value
  return (
    (version === undefined || typeof version === 'string') &&
    (salt === undefined || typeof salt === 'bigint') &&
    (initCode === undefined || (isHex(initCode) && initCode !== '0x')) &&
    Array.isArray(owners) &&
    [accountAddress, factoryAddress, ...owners].every((address) => address === undefined || isAddress(String(address)))
  )
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
