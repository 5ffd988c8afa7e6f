import { startTestLedger } from '@latchkey/testkit/gateway/startTestLedger'
import { afterAll, expect, test } from 'vitest'
import { type PolicyRulesInput, policyRulesSchema } from '../../store/ledger/policyRules.ts'
import { costLimits, tipFloor } from '../../store/ledger/reserve.ts'
import type { Fees, GasFields } from '../paymasters/PaymasterScheme.ts'
import { checkPrices, limitTip, type PriorTip } from './checkRules.ts'

// Computes the highest profit of a day's attacks on a chain like a layer 2, where base fee and market tip are small
// compared with the minimum tip of clients. The attacker bundles its own operations, and thus receives their tips.

const ledger = await startTestLedger()
afterAll(() => ledger.close())

const chainId = 8453
const market: Fees = { baseFee: 1_000_000n, tip: 1_000_000n }
const wei = 10n ** 18n

type Version = '0.6' | '0.7'
/** Whether an operation burns its gas, or leaves the gas unused and pays the penalty of EntryPoint 0.7. */
type Use = 'burned' | 'unused'
type Price = { tip: bigint; gas: bigint }

function bestPrice(rules: PolicyRulesInput): Price {
  const parsed = policyRulesSchema.parse(rules)
  const floor = tipFloor(parsed, chainId)
  const factor = parsed.factors.maxPriorityFeePerGas
  let prior: PriorTip | undefined
  for (let signature = 0; signature < 20; signature++) {
    const { highest, toSigned } = limitTip({ market: market.tip, factor, floor, prior })
    prior = { ...toSigned(highest), pricedAt: prior?.pricedAt ?? new Date() }
  }
  const { highest } = limitTip({ market: market.tip, factor, floor, prior })
  const isAllowed = (callGasLimit: bigint) => {
    const gas: GasFields = { callGasLimit, maxPriorityFeePerGas: highest }
    try {
      // The attacker also controls the estimate, since its account uses as much gas as it likes.
      checkPrices({ gas, quote: () => gas, fees: market, floor, highestTip: highest, rules: parsed })
      return true
    } catch {
      return false
    }
  }
  let gas = 21_000n
  while (isAllowed(gas * 2n)) gas *= 2n
  for (let step = gas; step > 0n; step /= 2n) if (isAllowed(gas + step)) gas += step
  return { tip: highest, gas }
}

function settleAttack(version: Version, use: Use, { tip, gas }: Price): { cost: bigint; profit: bigint } {
  const charged = use === 'burned' ? gas : version === '0.7' ? gas / 10n : 0n
  const cost = charged * (market.baseFee + tip)
  return { cost, profit: cost - (use === 'burned' ? gas * market.baseFee : 0n) }
}

const addresses = Array.from({ length: 6 }, (_, index) => `203.0.113.${index}`)
const keys = ['page', 'other page']

/**
 * Sends operations until the ledger refuses every IP address, key and size. Returns the profit by IP address, and the
 * paymaster's loss.
 */
async function attack(rules: PolicyRulesInput, version: Version, use: Use) {
  const policy = await ledger.policy(rules)
  const best = bestPrice(rules)
  const profits = new Map<string, bigint>()
  let lost = 0n
  for (const part of [1n, 4n, 20n])
    for (const ip of addresses)
      for (const key of keys)
        for (let isPaid = true; isPaid; ) {
          const price = { ...best, gas: best.gas / part }
          const request = { caller: { key, ip }, chainId, deposit: undefined }
          const maxCost = price.gas * (market.baseFee + price.tip)
          const reserved = await policy.sign({ ...request, maxCost }).catch(() => undefined)
          isPaid = reserved !== undefined
          if (!reserved) continue
          const { cost, profit } = settleAttack(version, use, price)
          await policy.settle(reserved, { actualGasCost: cost })
          profits.set(ip, (profits.get(ip) ?? 0n) + profit)
          lost += cost
        }
  return { lost, profits: [...profits.values()] }
}

const daily = { limits: { policy: { day: { cost: String(wei / 100n) } } } }
const small = { limits: { policy: { day: { cost: String(wei / 500n) } } } }

test.each([
  ['no cost of its own', {}, '0.6', 'burned', wei / 10n],
  ['no cost of its own', {}, '0.7', 'burned', wei / 10n],
  ['a daily cost', daily, '0.6', 'burned', wei / 100n],
  ['a daily cost', daily, '0.7', 'burned', wei / 100n],
  ['a small daily cost', small, '0.7', 'unused', wei / 500n],
] as const)(
  'loses at most the named cost of a day under a policy with %s: rules %j, entry point %s, gas %s',
  async (...row) => {
    const [, rules, version, use, named] = row
    const { lost, profits } = await attack(rules, version, use)
    const limits = costLimits({ rules: policyRulesSchema.parse(rules), chainId, spent: 0n })
    expect(limits.policyDay).toBe(named)
    const profit = profits.reduce((sum, one) => sum + one, 0n)
    expect(profit).toBeGreaterThan(0n)
    expect(profit).toBeLessThanOrEqual(lost)
    expect(lost).toBeLessThanOrEqual(named)
    for (const one of profits) expect(one).toBeLessThanOrEqual(limits.ipDay)
  },
)

test('limits the tip to the clients’ minimum raised three times, at any market price', () => {
  const { tip, gas } = bestPrice({})
  // 0.1 gwei, raised three times by 10 percent.
  expect(tip).toBe(133_100_000n)
  expect(gas).toBe(10_000_000n)
})
