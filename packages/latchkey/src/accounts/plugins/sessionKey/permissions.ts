import type { Address, Hex } from 'viem'

/** How a session key's list of contracts is read. */
export const sessionKeyAccessListType = { ALLOWLIST: 0, DENYLIST: 1, ALLOW_ALL_ACCESS: 2 } as const
export type SessionKeyAccessListType = (typeof sessionKeyAccessListType)[keyof typeof sessionKeyAccessListType]

/** A contract on or off the list. `checkSelectors`: only the functions listed for it count. */
export type ContractAccessEntry = { contractAddress: Address; isOnList: boolean; checkSelectors: boolean }

/** A function of a contract on or off the list. `methodSelector` is 4 bytes. */
export type ContractMethodEntry = { contractAddress: Address; methodSelector: Hex; isOnList: boolean }

/** Unix seconds; 0 leaves an end open. */
export type TimeRange = { validFrom: number; validUntil: number }

/** `spendLimit` in wei. After `refreshInterval` seconds it may be spent again; 0, the default, is never. */
export type NativeTokenLimit = { spendLimit: bigint; refreshInterval?: number | undefined }

/** `spendLimit` in the token's smallest unit. With a limit, only `transfer` and `approve` of the token may be called. */
export type Erc20TokenLimit = NativeTokenLimit & { tokenAddress: Address }
