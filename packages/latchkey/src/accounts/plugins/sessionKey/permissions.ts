import { type Address, type Hex, parseAbi } from 'viem'
import { requireBytes } from '../../../core/arguments.ts'
import { BaseError } from '../../../core/errors/BaseError.ts'

/** Types of a session key's list of contracts. */
export const sessionKeyAccessListType = { ALLOWLIST: 0, DENYLIST: 1, ALLOW_ALL_ACCESS: 2 } as const
export type SessionKeyAccessListType = (typeof sessionKeyAccessListType)[keyof typeof sessionKeyAccessListType]

/**
 * Adds a contract to the list or removes it. With `checkSelectors`, the list applies only to the contract's listed
 * functions.
 */
export type ContractAccessEntry = { contractAddress: Address; isOnList: boolean; checkSelectors: boolean }

/** Adds a function of a contract to the list or removes it. `methodSelector` has 4 bytes. */
export type ContractMethodEntry = { contractAddress: Address; methodSelector: Hex; isOnList: boolean }

/** Time range in Unix seconds. 0 means no limit. */
export type TimeRange = { validFrom: number; validUntil: number }

export type NativeTokenLimit = {
  /** Limit in wei. */
  spendLimit: bigint
  /** Seconds after which the limit is renewed. 0 means never. @default 0 */
  refreshInterval?: number | undefined
}

/**
 * Limit for a token. `spendLimit` is in the token's smallest unit. Only `transfer` and `approve` of a token with a
 * limit may be called.
 */
export type Erc20TokenLimit = NativeTokenLimit & { tokenAddress: Address }

/**
 * Updates of a session key's permissions, encoded as function calls. The plugin only decodes them; no contract has
 * these functions.
 */
export const permissionsAbi = /* @__PURE__ */ parseAbi([
  'function setAccessListType(uint8 contractAccessControlType)',
  'function setERC20SpendLimit(address token, uint256 spendLimit, uint48 refreshInterval)',
  'function setGasSpendLimit(uint256 spendLimit, uint48 refreshInterval)',
  'function setNativeTokenSpendLimit(uint256 spendLimit, uint48 refreshInterval)',
  'function setRequiredPaymaster(address requiredPaymaster)',
  'function updateAccessListAddressEntry(address contractAddress, bool isOnList, bool checkSelectors)',
  'function updateAccessListFunctionEntry(address contractAddress, bytes4 selector, bool isOnList)',
  'function updateTimeRange(uint48 validAfter, uint48 validUntil)',
])

/**
 * Checks updates of a session key's permissions. Each must contain at least a selector.
 *
 * @throws `ARGUMENT_INVALID`.
 */
export function requirePermissions(permissions: readonly Hex[]): readonly Hex[] {
  if (!Array.isArray(permissions)) {
    throw new BaseError("A session key's permissions are not a list of changes.", {
      code: 'ARGUMENT_INVALID',
      metaMessages: ['Pass what `encode()` of a SessionKeyPermissionsBuilder gives.'],
    })
  }
  return permissions.map((update) => requireBytes("A change of a session key's permissions", update, 4))
}
