import { type Address, type Hex, maxUint256, size, slice } from 'viem'
import type { Call } from './sessionKeys.ts'

/** Spending limit. Times are in seconds of the chain's clock. */
export type Limit = { limit: bigint; used: bigint; interval: number; since: number }
export type Refusal = { refused: string }
/** Validity range for the EntryPoint, inclusive. `until` 0 means no end. */
export type Verdict = { from: number; until: number } | Refusal

export type Asked = { calls: readonly Call[]; cost: bigint; isOwnNonceKey: boolean; paymaster: Address | undefined }

export type Change =
  | { kind: 'accessType'; type: 0 | 1 | 2 }
  | { kind: 'target'; target: Address; isOnList: boolean; checkSelectors: boolean }
  | { kind: 'function'; target: Address; selector: Hex; isOnList: boolean }
  | { kind: 'time'; from: number; until: number }
  | { kind: 'native' | 'gas'; limit: bigint; interval: number }
  | { kind: 'token'; token: Address; limit: bigint; interval: number }
  | { kind: 'paymaster'; paymaster: Address | undefined }

/** Models the permissions of a session key according to the specification, independently of the contract. */
export class SessionKeyModel {
  accessType: 0 | 1 | 2 = 0
  from = 0
  until = 0
  paymaster: Address | undefined
  native: Limit | undefined = { limit: 0n, used: 0n, interval: 0, since: 0 }
  gas: Limit | undefined
  /** Whether the next successful execution starts a new interval of the gas limit. */
  isGasIntervalNew = false
  readonly tokens = new Map<Address, Limit>()
  readonly #targets = new Map<Address, { isOnList: boolean; checkSelectors: boolean }>()
  readonly #functions = new Set<string>()

  change(change: Change, now: number): void {
    switch (change.kind) {
      case 'accessType':
        this.accessType = change.type
        break
      case 'target':
        this.#targets.set(change.target, change)
        break
      case 'function':
        if (change.isOnList) this.#functions.add(`${change.target} ${change.selector}`)
        else this.#functions.delete(`${change.target} ${change.selector}`)
        break
      case 'time':
        this.from = change.from
        this.until = change.until
        break
      case 'native':
        this.native = newLimit(change, now, this.native)
        break
      case 'gas':
        this.gas = newLimit(change, now, this.gas)
        this.isGasIntervalNew = false
        break
      case 'token': {
        const limit = newLimit(change, now, this.tokens.get(change.token))
        if (limit) this.tokens.set(change.token, limit)
        else this.tokens.delete(change.token)
        break
      }
      case 'paymaster':
        this.paymaster = change.paymaster
    }
  }

  /** Checks whether an operation may be sent. If so, and if `isCounted`, counts its gas. */
  validate({ calls, cost, isOwnNonceKey, paymaster }: Asked, isCounted: boolean): Verdict {
    if (this.paymaster && paymaster !== this.paymaster) return notPermitted
    if (this.gas && !isOwnNonceKey) return notPermitted
    const gas = this.gas && this.#charge(this.gas, cost)
    if (this.gas && !gas) return notPermitted
    if (calls.length === 0 || !calls.every((call) => this.#isAllowed(call))) return notPermitted
    const nativeFrom = this.native ? firstSecond(this.native, totalValue(calls)) : 0
    if (nativeFrom === undefined) return notPermitted
    if (gas && isCounted) {
      this.gas = gas.charged
      this.isGasIntervalNew = gas.isNew
    }
    return { from: Math.max(this.from, gas?.from ?? 0, nativeFrom), until: this.until }
  }

  /** Executes all calls or none. */
  execute(calls: readonly Call[], now: number): Refusal | 'done' {
    const tokens = new Map(this.tokens)
    for (const { target, data } of calls) {
      const limit = tokens.get(target)
      if (!limit) continue
      const spent = spend(limit, BigInt(slice(data, 36, 68)), now)
      if (!spent) return { refused: 'ERC20SpendLimitExceeded' }
      tokens.set(target, spent)
    }
    const native = this.native && spend(this.native, totalValue(calls), now)
    if (this.native && !native) return { refused: 'NativeTokenSpendLimitExceeded' }
    this.native = native
    for (const [token, limit] of tokens) this.tokens.set(token, limit)
    if (this.gas && this.isGasIntervalNew) this.gas = { ...this.gas, since: now }
    this.isGasIntervalNew = false
    return 'done'
  }

  #isAllowed({ target, data }: Call): boolean {
    const selector = size(data) >= 4 ? slice(data, 0, 4) : undefined
    const isSpending = selector === '0xa9059cbb' || selector === '0x095ea7b3'
    if (this.tokens.has(target) && (!isSpending || size(data) < 68)) return false
    if (this.accessType === 2) return true
    const { isOnList, checkSelectors } = this.#targets.get(target) ?? { isOnList: false, checkSelectors: false }
    if (!isOnList) return this.accessType === 1
    if (!checkSelectors) return this.accessType === 0
    const named = size(data) === 0 ? '0x00000000' : selector
    const isListed = named !== undefined && this.#functions.has(`${target} ${named}`)
    return named !== undefined && isListed === (this.accessType === 0)
  }

  /**
   * Starts a new interval if the cost exceeds the limit. If the current interval is not over, the new interval starts
   * in the future (`from`).
   */
  #charge(gas: Limit, cost: bigint): { charged: Limit; isNew: boolean; from: number } | undefined {
    const isBeyond = gas.used + cost > gas.limit
    const isNew = this.isGasIntervalNew || (isBeyond && gas.interval > 0)
    const used = (isNew && !this.isGasIntervalNew ? 0n : gas.used) + cost
    if (used > gas.limit) return undefined
    return { charged: { ...gas, used }, isNew, from: isNew ? gas.since + gas.interval : 0 }
  }
}

const notPermitted: Refusal = { refused: 'PermissionsCheckFailed' }

const totalValue = (calls: readonly Call[]) => calls.reduce((sum, { value }) => sum + value, 0n)

/** Changes a limit without resetting the amount spent. After an unlimited limit, the amount starts at zero. */
function newLimit(
  { limit, interval }: { limit: bigint; interval: number },
  now: number,
  before: Limit | undefined,
): Limit | undefined {
  if (limit === maxUint256) return undefined
  return { limit, used: before?.used ?? 0n, interval, since: interval === 0 ? 0 : now }
}

/** Returns the first second in which the limit allows the amount: 0 means immediately, undefined means never. */
function firstSecond(limit: Limit, amount: bigint): number | undefined {
  if (limit.used + amount <= limit.limit) return 0
  return limit.interval > 0 && amount <= limit.limit ? limit.since + limit.interval : undefined
}

function spend(limit: Limit, amount: bigint, now: number): Limit | undefined {
  const isOver = limit.interval > 0 && now >= limit.since + limit.interval
  const used = (isOver ? 0n : limit.used) + amount
  return used > limit.limit ? undefined : { ...limit, used, since: isOver ? now : limit.since }
}
