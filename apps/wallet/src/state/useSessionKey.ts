import { useQuery } from '@tanstack/react-query'
import { createSmartAccountClient, indexedDbOutbox } from 'latchkey'
import {
  addSessionKey,
  executeWithSessionKey,
  getAccountSessionKeys,
  getInstalledPlugins,
  getPluginAddress,
  getSessionKeyPermissions,
  installSessionKeyPlugin,
  removeSessionKey,
  SessionKeyPermissionsBuilder,
  SessionKeySigner,
  toModularAccount,
} from 'latchkey/accounts'
import { useBundlerClient } from 'latchkey/react'
import { type Address, isAddressEqual, parseEther, toFunctionSelector, zeroHash } from 'viem'
import type { WalletConfig } from '../config.ts'
import { hasSessionKey, sessionKeyName } from './sessionKeys.ts'
import type { Call, Client } from './useSending.ts'

/** DEMO that a key may send in total, and the key's lifetime. */
export const limit = parseEther('10')
const lifeSeconds = 3600

export type SessionKey = {
  key: Address
  /** DEMO that the key may still send. */
  left: bigint
  /** Expiration time in Unix seconds. */
  validUntil: number
  isOver: boolean
}
type Reader = ReturnType<typeof useBundlerClient>
export type SessionPlace = { config: WalletConfig; account: Address; isDeployed: boolean }

/** Returns the account's session keys on the chain: the key of this tab, and those of other tabs and browsers. */
export function useSessionKeys({ config, account, isDeployed }: SessionPlace) {
  const reader = useBundlerClient()
  return useQuery({
    queryKey: ['account', 'session-keys', reader.chain.id, account, isDeployed],
    refetchInterval: 5000,
    queryFn: async () => {
      const keys = isDeployed ? await getAccountSessionKeys(reader, { account }) : []
      const own = hasSessionKey(account) ? await openSigner(account).getAddress() : null
      const others = keys.filter((key) => key !== own)
      return { session: own && keys.includes(own) ? await readRights(reader, config, account, own) : null, others }
    },
  })
}

/** Returns a key's remaining permissions, according to the chain's clock. */
async function readRights(reader: Reader, config: WalletConfig, account: Address, key: Address): Promise<SessionKey> {
  const [{ timeRange, tokenLimits }, { timestamp }] = await Promise.all([
    getSessionKeyPermissions(reader, { account, key, tokens: [config.addresses.demo] }),
    reader.getBlock(),
  ])
  const { validUntil } = timeRange
  const spent = tokenLimits[0]?.limitUsed ?? limit
  return { key, left: limit - spent, validUntil, isOver: timestamp > BigInt(validUntil) }
}

/** Returns a client that acts for the account with this tab's key instead of the owner's. */
export function useSessionClient({ config, account }: SessionPlace, key: Address | undefined) {
  const reader = useBundlerClient()
  return useQuery({
    queryKey: ['session-client', reader.chain.id, account, key],
    enabled: key !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async () =>
      createSmartAccountClient({
        account: await toModularAccount({ client: reader, owner: openSigner(account), accountAddress: account }),
        apiKey: config.apiKey,
        gasManagerConfig: { policyId: config.policyId },
        outbox: { store: indexedDbOutbox() },
      }),
  }).data
}

/**
 * Grants a new key of this tab the permission to send some DEMO for an hour. The owner signs the grant. The paymaster
 * must pay for the key's gas.
 */
export async function grantSessionKey(
  client: Client,
  reader: Reader,
  { config, account }: SessionPlace,
): Promise<void> {
  const { demo, paymaster06 } = config.addresses
  const key = openSigner(account).generateNewKey()
  const { timestamp } = await reader.getBlock()
  const permissions = new SessionKeyPermissionsBuilder()
    .addContractAddressAccessEntry({ contractAddress: demo, isOnList: true, checkSelectors: true })
    .addContractFunctionAccessEntry({
      contractAddress: demo,
      methodSelector: toFunctionSelector('transfer(address,uint256)'),
      isOnList: true,
    })
    .addErc20TokenSpendLimit({ tokenAddress: demo, spendLimit: limit })
    .setTimeRange({ validFrom: 0, validUntil: Number(timestamp) + lifeSeconds })
    .setRequiredPaymaster(paymaster06)
    .encode()
  const plugin = getPluginAddress({ name: 'SessionKeyPlugin', chain: reader.chain })
  const plugins = await getInstalledPlugins(reader, { account })
  if (plugins.some((one) => isAddressEqual(one, plugin)))
    await addSessionKey(client, { key, tag: zeroHash, permissions, waitForTxn: true })
  else await installSessionKeyPlugin(client, { args: [[key], [zeroHash], [permissions]], waitForTxn: true })
}

/** Revokes keys with the owner's signature, one after another. */
export async function revokeSessionKeys(client: Client, keys: readonly Address[]): Promise<void> {
  for (const key of keys) await removeSessionKey(client, { key, waitForTxn: true })
}

/** Sends with the session key. It has its own nonce key, so it does not wait for the owner's operations. */
export async function sendWithSessionKey(
  client: NonNullable<ReturnType<typeof useSessionClient>>,
  calls: readonly Call[],
  key: Address,
): Promise<void> {
  await executeWithSessionKey(client, { args: [calls, key], overrides: { nonceKey: BigInt(key) }, waitForTxn: true })
}

const openSigner = (account: Address) =>
  new SessionKeySigner({ storageType: 'session-storage', storageKey: sessionKeyName(account) })
