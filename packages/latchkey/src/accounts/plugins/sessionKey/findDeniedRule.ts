import { type Address, type Client, type Hex, size, slice, zeroAddress } from 'viem'
import type { PluginAddressParameter } from '../callPlugin.ts'
import { createPermissionReads, type SpendLimit } from './createPermissionReads.ts'
import { isAccountSessionKey } from './isAccountSessionKey.ts'
import { sessionKeyAccessListType } from './permissions.ts'

export declare namespace findDeniedRule {
  type Parameters = PluginAddressParameter & {
    account: Address
    sessionKey: Address
    calls: readonly { target: Address; value: bigint; data: Hex }[]
    nonceKey: bigint
    /** Seconds since the epoch, as the chain counts them. */
    now: number
    /** Whether it was the validation that refused (AA23 of the entry point), not a call. */
    inValidation: boolean
  }
  /** The rule as a sentence; undefined where none is broken. */
  type ReturnType = string | undefined
}

type Reads = createPermissionReads.ReturnType
type Rule = (reads: Reads, asked: findDeniedRule.Parameters) => Promise<string | undefined>

/** `transfer` and `approve` (ERC-20): the only functions of a token with a spend limit. */
const spending: readonly Hex[] = ['0xa9059cbb', '0x095ea7b3']

/** Which of a session key's rules forbids an operation: the plugin refuses in its validation, where nothing is told. */
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
  if (!parameters.inValidation) return undefined
  const possible = await Promise.all(suspects.map((rule) => rule(reads, parameters)))
  return possible.filter((rule) => rule !== undefined).join(' Or ') || undefined
}

const timeRange: Rule = async (reads, { now }) => {
  const { validFrom, validUntil } = await reads.timeRange()
  if (now < validFrom) return `it is valid only from ${dateOf(validFrom)} on.`
  return validUntil !== 0 && now > validUntil ? `it expired at ${dateOf(validUntil)}.` : undefined
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
    const selector = selectorOf(data)
    if ((await reads.isSelectorOnList(target, selector)) !== isAllowlist)
      return `it may not call function ${selector} of ${target}.`
  }
  return undefined
}

const nativeLimit: Rule = async (reads, { calls, now }) => {
  const sum = calls.reduce((total, { value }) => total + value, 0n)
  const info = await reads.nativeLimit()
  const left = leftOf(info, now)
  return info.hasLimit && sum > left ? `it may spend ${left} wei, and the calls spend ${sum}.` : undefined
}

const tokenLimits: Rule = async (reads, { calls, now }) => {
  for (const target of new Set(calls.map((call) => call.target))) {
    const info = await reads.tokenLimit(target)
    if (!info.hasLimit) continue
    let sum = 0n
    for (const { data } of calls.filter((call) => call.target === target)) {
      if (!spending.includes(selectorOf(data)) || size(data) < 68)
        return `of the token ${target} it may call transfer and approve only.`
      sum += BigInt(slice(data, 36, 68))
    }
    const left = leftOf(info, now)
    if (sum > left) return `it may spend ${left} of the token ${target}, and the calls spend ${sum}.`
  }
  return undefined
}

const gasLimit: Rule = async (reads, { sessionKey, nonceKey, now }) => {
  const info = await reads.gasLimit()
  if (!info.hasLimit) return undefined
  if (nonceKey !== BigInt(sessionKey))
    return 'it has a gas limit, and then its operations need its own nonce key: pass `overrides.nonceKey = BigInt(sessionKey)`.'
  return leftOf(info, now) === 0n ? 'its gas limit is used up.' : undefined
}

const gasCost: Rule = async (reads, { now }) => {
  const info = await reads.gasLimit()
  return info.hasLimit ? `it may spend ${leftOf(info, now)} wei on gas, and the operation may cost more.` : undefined
}

const paymaster: Rule = async (reads) => {
  const required = await reads.requiredPaymaster()
  return required === zeroAddress ? undefined : `its operations have to be paid for by the paymaster ${required}.`
}

const rules: readonly Rule[] = [timeRange, accessList, nativeLimit, tokenLimits, gasLimit]

/** What an operation costs and who pays is settled while it is sent: from here these can only be suspected. */
const suspects: readonly Rule[] = [gasCost, paymaster]

function leftOf({ limit, limitUsed, refreshInterval, lastUsedTime }: SpendLimit, now: number): bigint {
  const used = refreshInterval > 0 && now >= lastUsedTime + refreshInterval ? 0n : limitUsed
  return limit > used ? limit - used : 0n
}

function selectorOf(data: Hex): Hex {
  return data.length >= 10 ? (slice(data, 0, 4).toLowerCase() as Hex) : '0x00000000'
}

function dateOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString()
}
