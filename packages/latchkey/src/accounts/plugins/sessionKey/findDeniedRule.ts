import { type Address, type Client, type Hex, size, slice, zeroAddress } from 'viem'
import type { PluginAddressParameter } from '../callPlugin.ts'
import { createPermissionReads, type GasLimit, type SpendLimit } from './createPermissionReads.ts'
import { sessionKeyAccessListType } from './permissions.ts'
import { isAccountSessionKey } from './readSessionKeys.ts'

export declare namespace findDeniedRule {
  type Parameters = PluginAddressParameter & {
    account: Address
    sessionKey: Address
    calls: readonly { target: Address; value: bigint; data: Hex }[]
    nonceKey: bigint
    /** Chain time, in Unix seconds. */
    now: number
    /** Type of the refusal: a reverted validation (AA23), a violated time range (AA22), or other. */
    refusal: 'validation' | 'time' | 'other'
  }
  /** Violated rule as part of a sentence; undefined if none was found. */
  type ReturnType = string | undefined
}

type Reads = createPermissionReads.ReturnType
type Rule = (reads: Reads, operation: findDeniedRule.Parameters) => Promise<string | undefined>

/**
 * Selectors of `transfer` and `approve` (ERC-20), the only functions that may be called on a token with a spend limit.
 */
const spending: readonly Hex[] = ['0xa9059cbb', '0x095ea7b3']

/**
 * Finds the rule of a session key that an operation violates. The plugin checks the rules during validation, which does
 * not return a reason.
 */
export async function findDeniedRule(
  client: Client,
  parameters: findDeniedRule.Parameters,
): Promise<findDeniedRule.ReturnType> {
  const { sessionKey, account, pluginAddress } = parameters
  if (!(await isAccountSessionKey(client, { account, pluginAddress, key: sessionKey })))
    return 'it is not a session key of the account, or no longer.'
  const reads = createPermissionReads(client, parameters)
  for (const rule of rules) {
    const broken = await rule(reads, parameters)
    if (broken) return broken
  }
  const possible = await Promise.all(suspects[parameters.refusal].map((rule) => rule(reads, parameters)))
  return possible.filter((rule) => rule !== undefined).join(' Or ') || undefined
}

const timeRange: Rule = async (reads, { now }) => {
  const { validFrom, validUntil } = await reads.timeRange()
  if (now < validFrom) return `it is valid only from ${formatTime(validFrom)} on.`
  return validUntil !== 0 && now > validUntil ? `it expired at ${formatTime(validUntil)}.` : undefined
}

const accessList: Rule = async (reads, { calls }) => {
  const type = await reads.accessType()
  if (type === sessionKeyAccessListType.ALLOW_ALL_ACCESS) return undefined
  const isAllowlist = type === sessionKeyAccessListType.ALLOWLIST
  for (const { target, data } of calls) {
    const { isOnList, checkSelectors } = await reads.accessEntry(target)
    if (!isOnList) {
      if (isAllowlist) return `it may not call ${target}.`
      continue
    }
    if (!checkSelectors) {
      if (!isAllowlist) return `it may not call ${target}.`
      continue
    }
    const selector = readSelector(data)
    // Data of fewer than four bytes has no selector. It is never allowed if functions are checked.
    if (size(selector) < 4 || (await reads.isSelectorOnList(target, selector)) !== isAllowlist)
      return `it may not call function ${selector} of ${target}.`
  }
  return undefined
}

const nativeLimit: Rule = async (reads, { calls, now }) => {
  const sum = calls.reduce((total, { value }) => total + value, 0n)
  const info = await reads.nativeLimit()
  const left = getRest(info, now)
  if (!info.hasLimit || sum <= left) return undefined
  return `it may spend ${left} wei${formatInterval(info)}, and the calls spend ${sum}.`
}

const tokenLimits: Rule = async (reads, { calls, now }) => {
  for (const target of new Set(calls.map((call) => call.target))) {
    const info = await reads.tokenLimit(target)
    if (!info.hasLimit) continue
    let sum = 0n
    for (const { data } of calls.filter((call) => call.target === target)) {
      if (!spending.includes(readSelector(data)) || size(data) < 68)
        return `of the token ${target} it may call transfer and approve only.`
      sum += BigInt(slice(data, 36, 68))
    }
    const left = getRest(info, now)
    if (sum > left) return `it may spend ${left} of the token ${target}, and the calls spend ${sum}.`
  }
  return undefined
}

const gasLimit: Rule = async (reads, { sessionKey, nonceKey, now }) => {
  const info = await reads.gasLimit()
  if (!info.hasLimit) return undefined
  if (nonceKey !== BigInt(sessionKey))
    return 'it has a gas limit, and then its operations need its own nonce key: pass `overrides.nonceKey = BigInt(sessionKey)`.'
  return getRest(info, now) <= 0n ? `its gas limit is used up${formatInterval(info)}.` : undefined
}

const gasCost: Rule = async (reads, { now }) => {
  const info = await reads.gasLimit()
  if (!info.hasLimit) return undefined
  return `it may spend ${getRest(info, now)} wei on gas${formatInterval(info)}, and the operation may cost more.`
}

const paymaster: Rule = async (reads) => {
  const required = await reads.requiredPaymaster()
  return required === zeroAddress ? undefined : `its operations have to be paid for by the paymaster ${required}.`
}

const rules: readonly Rule[] = [timeRange, accessList, nativeLimit, tokenLimits, gasLimit]

/**
 * Rules to check for each type of refusal. Gas cost and paymaster are unknown here, because they are determined during
 * sending. A gas limit that will be renewed only delays the operation: the validation returns the start of the next
 * interval.
 */
const suspects: { readonly [refusal in findDeniedRule.Parameters['refusal']]: readonly Rule[] } = {
  validation: [gasCost, paymaster],
  time: [gasCost],
  other: [],
}

/**
 * Returns the remaining amount. It is negative if the limit was reduced below the amount already spent; the plugin then
 * refuses even calls that spend nothing.
 */
function getRest(info: SpendLimit | GasLimit, now: number): bigint {
  const { limit, limitUsed, refreshInterval, lastUsedTime } = info
  const isPending = 'shouldReset' in info && info.shouldReset
  const used = refreshInterval > 0 && now >= lastUsedTime + refreshInterval && !isPending ? 0n : limitUsed
  return limit - used
}

/** Describes when a limit is renewed. Returns an empty string if it never is. */
function formatInterval(info: SpendLimit | GasLimit): string {
  const { refreshInterval, lastUsedTime } = info
  if ('shouldReset' in info && info.shouldReset)
    return ' until resetSessionKeyGasLimitTimestamp of the plugin starts the next interval'
  return refreshInterval > 0 ? ` until ${formatTime(lastUsedTime + refreshInterval)}` : ''
}

/** Returns the selector; 0x00000000 for calls without data, as in the list of functions. */
function readSelector(data: Hex): Hex {
  return size(data) === 0 ? '0x00000000' : (slice(data, 0, Math.min(4, size(data))).toLowerCase() as Hex)
}

function formatTime(seconds: number): string {
  // 48-bit times can exceed the maximum `Date`, in the year 275760.
  return seconds <= 8.64e12 ? new Date(seconds * 1000).toISOString() : `second ${seconds} since 1970`
}
