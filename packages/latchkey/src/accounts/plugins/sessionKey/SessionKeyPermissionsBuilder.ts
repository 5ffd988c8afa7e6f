import { type Address, encodeFunctionData, getAddress, type Hex, isAddress, maxUint256, size, zeroAddress } from 'viem'
import { BaseError } from '../../../core/errors/BaseError.ts'
import {
  permissionsAbi as abi,
  type ContractAccessEntry,
  type ContractMethodEntry,
  type Erc20TokenLimit,
  type NativeTokenLimit,
  type SessionKeyAccessListType,
  sessionKeyAccessListType,
  type TimeRange,
} from './permissions.ts'

/**
 * Builds the permissions of a session key. `encode()` returns them in the form that `addSessionKey` and
 * `updateSessionKeyPermissions` accept. By default, the key may call no contract and spend none of the native token. A
 * contract on the allowlist may be called with any arguments, so limit tokens with `addErc20TokenSpendLimit`. The
 * account pays for gas without a limit, unless `setGasSpendLimit` or `setRequiredPaymaster` is used. Each method
 * returns the builder.
 *
 * @throws `PERMISSIONS_INVALID`.
 *
 * @example
 * ```ts
 * import { SessionKeyPermissionsBuilder } from 'latchkey/accounts'
 * import { parseEther } from 'viem'
 *
 * const permissions = new SessionKeyPermissionsBuilder()
 *   .setNativeTokenSpendLimit({ spendLimit: parseEther('0.1'), refreshInterval: 86_400 })
 *   .setTimeRange({ validFrom: 0, validUntil: Math.floor(Date.now() / 1000) + 86_400 })
 *   .encode()
 * console.log(permissions.length)
 * ```
 */
export class SessionKeyPermissionsBuilder {
  #accessType: SessionKeyAccessListType = sessionKeyAccessListType.ALLOWLIST
  readonly #contracts: ContractAccessEntry[] = []
  readonly #methods: ContractMethodEntry[] = []
  readonly #tokens: Erc20TokenLimit[] = []
  #timeRange: TimeRange | undefined
  #native: NativeTokenLimit | undefined
  #gas: NativeTokenLimit | undefined
  #paymaster: Address | undefined

  /**
   * Sets whether the list of contracts and methods is an allowlist or a denylist, or is ignored.
   * @default sessionKeyAccessListType.ALLOWLIST
   */
  setContractAccessControlType(type: SessionKeyAccessListType): this {
    if (![0, 1, 2].includes(type)) throw invalidError('The access list type', type, 'Pass 0, 1 or 2.')
    this.#accessType = type
    return this
  }

  addContractAddressAccessEntry(entry: ContractAccessEntry): this {
    requireFlag('isOnList', entry.isOnList)
    requireFlag('checkSelectors', entry.checkSelectors)
    this.#contracts.push({ ...entry, contractAddress: requireValidAddress('contractAddress', entry.contractAddress) })
    return this
  }

  /**
   * Adds a function to the allowlist or denylist. This has an effect only if the function's contract is on the list
   * with `checkSelectors`. `0x00000000` matches calls without data, such as plain transfers.
   */
  addContractFunctionAccessEntry(entry: ContractMethodEntry): this {
    const { methodSelector } = entry
    if (!/^0x[0-9a-f]{8}$/i.test(methodSelector) || size(methodSelector) !== 4) {
      throw invalidError('methodSelector', methodSelector, 'Pass the 4 bytes of a function selector.')
    }
    requireFlag('isOnList', entry.isOnList)
    this.#methods.push({ ...entry, contractAddress: requireValidAddress('contractAddress', entry.contractAddress) })
    return this
  }

  setTimeRange(range: TimeRange): this {
    const [from, until] = [requireSeconds('validFrom', range.validFrom), requireSeconds('validUntil', range.validUntil)]
    if (until !== 0 && until <= from)
      throw invalidError('validUntil', until, 'It has to be later than validFrom, or 0.')
    this.#timeRange = { validFrom: from, validUntil: until }
    return this
  }

  /** Sets the spending limit for the native token. The default is 0; `2n ** 256n - 1n` removes the limit. */
  setNativeTokenSpendLimit(limit: NativeTokenLimit): this {
    this.#native = requireLimit(limit)
    return this
  }

  addErc20TokenSpendLimit(limit: Erc20TokenLimit): this {
    if (limit.tokenAddress === zeroAddress)
      throw invalidError('tokenAddress', zeroAddress, 'Pass the address of a token.')
    this.#tokens.push({ ...requireLimit(limit), tokenAddress: requireValidAddress('tokenAddress', limit.tokenAddress) })
    return this
  }

  /** Sets the gas limit, in wei. Operations of the key must then use the nonce key `BigInt(sessionKeyAddress)`. */
  setGasSpendLimit(limit: NativeTokenLimit): this {
    this.#gas = requireLimit(limit)
    return this
  }

  /** Requires a paymaster. Operations of the key are then valid only if this paymaster pays. */
  setRequiredPaymaster(paymaster: Address): this {
    this.#paymaster = requireValidAddress('paymaster', paymaster)
    return this
  }

  /** Encodes the permissions: list type, contracts, methods, time range, limits, paymaster. */
  encode(): Hex[] {
    return [
      encodeFunctionData({ abi, functionName: 'setAccessListType', args: [this.#accessType] }),
      ...this.#contracts.map(({ contractAddress, isOnList, checkSelectors }) =>
        encodeFunctionData({
          abi,
          functionName: 'updateAccessListAddressEntry',
          args: [contractAddress, isOnList, checkSelectors],
        }),
      ),
      ...this.#methods.map(({ contractAddress, methodSelector, isOnList }) =>
        encodeFunctionData({
          abi,
          functionName: 'updateAccessListFunctionEntry',
          args: [contractAddress, methodSelector, isOnList],
        }),
      ),
      ...this.#limits(),
    ]
  }

  #limits(): Hex[] {
    const limits: Hex[] = []
    if (this.#timeRange) {
      const { validFrom, validUntil } = this.#timeRange
      limits.push(encodeFunctionData({ abi, functionName: 'updateTimeRange', args: [validFrom, validUntil] }))
    }
    if (this.#native) {
      const args = [this.#native.spendLimit, this.#native.refreshInterval ?? 0] as const
      limits.push(encodeFunctionData({ abi, functionName: 'setNativeTokenSpendLimit', args }))
    }
    for (const { tokenAddress, spendLimit, refreshInterval = 0 } of this.#tokens) {
      const args = [tokenAddress, spendLimit, refreshInterval] as const
      limits.push(encodeFunctionData({ abi, functionName: 'setERC20SpendLimit', args }))
    }
    if (this.#gas) {
      const args = [this.#gas.spendLimit, this.#gas.refreshInterval ?? 0] as const
      limits.push(encodeFunctionData({ abi, functionName: 'setGasSpendLimit', args }))
    }
    if (this.#paymaster) {
      limits.push(encodeFunctionData({ abi, functionName: 'setRequiredPaymaster', args: [this.#paymaster] }))
    }
    return limits
  }
}

/** Maximum interval in seconds: a few million years. */
const maxRefreshInterval = 2 ** 47

function requireLimit(limit: NativeTokenLimit): NativeTokenLimit {
  const { spendLimit, refreshInterval = 0 } = limit
  if (typeof spendLimit !== 'bigint' || spendLimit < 0n || spendLimit > maxUint256) {
    throw invalidError('spendLimit', spendLimit, 'Pass a bigint from 0 to 2^256 - 1.')
  }
  // The plugin adds the interval to the current time in 48 bits. After an overflow, the limit would never be renewed.
  if (refreshInterval > maxRefreshInterval) {
    throw invalidError('refreshInterval', refreshInterval, 'Pass 0 for a limit that does not come back.')
  }
  return { spendLimit, refreshInterval: requireSeconds('refreshInterval', refreshInterval) }
}

function requireSeconds(name: string, value: number): number {
  if (Number.isInteger(value) && value >= 0 && value < 2 ** 48) return value
  throw invalidError(name, value, 'Pass whole seconds, from 0 to 2^48 - 1.')
}

function requireFlag(name: string, value: boolean): void {
  if (typeof value !== 'boolean') throw invalidError(name, value, 'Pass true or false.')
}

function requireValidAddress(name: string, value: Address): Address {
  if (isAddress(value, { strict: false })) return getAddress(value)
  throw invalidError(name, value, 'Pass an address.')
}

function invalidError(name: string, value: unknown, advice: string): BaseError {
  return new BaseError(`${name} of a session key's permissions is not valid: ${String(value)}`, {
    code: 'PERMISSIONS_INVALID',
    metaMessages: [advice],
  })
}
