import type { GasOverride } from 'latchkey-protocol'
import { numberToHex } from 'viem'
import { expect, test } from 'vitest'
import { type PolicyRulesInput, policyRulesSchema } from '../../store/ledger/policyRules.ts'
import { tipFloor } from '../../store/ledger/reserve.ts'
import { maxFeePerGas, multiply, settleGas } from '../paymasters/gasValues.ts'
import type { Fees, GasFields } from '../paymasters/PaymasterScheme.ts'
import { checkPrices, limitTip, type PriorTip } from './checkRules.ts'

const gwei = 1_000_000_000n
const market: Fees = { baseFee: 10n * gwei, tip: 2n * gwei }
const gas = {
  callGasLimit: 100_000n,
  verificationGasLimit: 80_000n,
  preVerificationGas: 50_001n,
  paymasterVerificationGasLimit: 60_000n,
  paymasterPostOpGasLimit: 0n,
}
const quote = ({ baseFee, tip }: Fees): GasFields => ({
  ...gas,
  maxFeePerGas: maxFeePerGas(baseFee, tip),
  maxPriorityFeePerGas: tip,
})

function hold(
  change: Partial<Record<string, bigint>>,
  rules: PolicyRulesInput = {},
  { fees = market, prior }: { fees?: Fees; prior?: PriorTip | undefined } = {},
) {
  const values = { ...quote(fees), ...change } as GasFields
  const parsed = policyRulesSchema.parse(rules)
  const floor = tipFloor(parsed, 1)
  const { highest, toSigned } = limitTip({
    market: fees.tip,
    factor: parsed.factors.maxPriorityFeePerGas,
    floor,
    prior,
  })
  checkPrices({ gas: values, quote, fees, floor, highestTip: highest, rules: parsed })
  return { ...toSigned(values.maxPriorityFeePerGas ?? 0n), pricedAt: prior?.pricedAt ?? new Date() }
}

test.each([
  ['callGasLimit', 200_000n],
  ['verificationGasLimit', 160_000n],
  // 1.75 × 50,001, rounded up.
  ['preVerificationGas', 87_502n],
  ['paymasterVerificationGasLimit', 120_000n],
  ['paymasterPostOpGasLimit', 0n],
  ['maxFeePerGas', 51n * gwei],
  ['maxPriorityFeePerGas', 4n * gwei],
])('allows %s up to its limit', (field, limit) => {
  expect(() => hold({ [field]: limit })).not.toThrow()
  const data = { rule: `factors.${field}`, field, value: String(limit + 1n), limit: String(limit) }
  expect(() => hold({ [field]: limit + 1n })).toThrow(
    expect.objectContaining({ rpcCode: -32501, data: { code: 'POLICY_REFUSED', ...data } }),
  )
})

test('accepts the margins that clients add to fees and gas', () => {
  for (const multiplier of [1.5, 1.33])
    for (const field of Object.keys(quote(market)))
      expect(() => hold({ [field]: multiply(quote(market)[field] ?? 0n, multiplier) })).not.toThrow()
  // The fees of three replacements, each 10 percent higher, starting from viem's doubled fees and from fee options of
  // 1.5.
  const viem = { maxFeePerGas: 2n * (12n * gwei + market.tip), maxPriorityFeePerGas: 2n * market.tip }
  const options = { maxFeePerGas: multiply(17n * gwei, 1.5), maxPriorityFeePerGas: multiply(market.tip, 1.5) }
  for (const first of [viem, options]) {
    let prior = hold(first)
    let fees = first
    for (let replacement = 1; replacement <= 3; replacement++) {
      fees = {
        maxFeePerGas: multiply(fees.maxFeePerGas, 1.1),
        maxPriorityFeePerGas: multiply(fees.maxPriorityFeePerGas, 1.1),
      }
      prior = hold(fees, {}, { prior })
    }
  }
})

test('accepts three raises of a signed tip after the market fell, and no fourth', () => {
  const fallen: Fees = { baseFee: market.baseFee, tip: gwei / 2n }
  let prior = hold({ maxPriorityFeePerGas: 2n * gwei }, {}, { fees: { ...market, tip: gwei } })
  for (const raises of [1, 2, 3]) {
    const maxPriorityFeePerGas = multiply(prior.wei, 1.1)
    expect(() => hold({ maxPriorityFeePerGas: maxPriorityFeePerGas + 1n }, {}, { fees: fallen, prior })).toThrow()
    prior = hold({ maxPriorityFeePerGas }, {}, { fees: fallen, prior })
    expect(prior).toMatchObject({ raises })
  }
  // A client may have the same fees signed again.
  expect(hold({ maxPriorityFeePerGas: prior.wei }, {}, { fees: fallen, prior })).toMatchObject({ raises: 3 })
  const fourth = () => hold({ maxPriorityFeePerGas: prior.wei + 1n }, {}, { fees: fallen, prior })
  expect(fourth).toThrow(`at most ${prior.wei}`)
})

test('refuses more gas than the policy pays for in one operation', () => {
  const rules = { limits: { operation: { gas: 290_001 } } }
  expect(() => hold({}, rules)).not.toThrow()
  expect(() => hold({ callGasLimit: 100_001n }, rules)).toThrow(
    expect.objectContaining({ data: expect.objectContaining({ rule: 'limits.operation.gas', limit: '290001' }) }),
  )
})

test('limits a multiplied tip and keeps an absolute one', () => {
  const estimate = { callGasLimit: '0x1', verificationGasLimit: '0x1', preVerificationGas: '0x1' } as const
  const tipOf = (override: GasOverride) =>
    settleGas(estimate, { ...market, highestTip: 4n * gwei }, { maxPriorityFeePerGas: override }).maxPriorityFeePerGas
  expect(tipOf({ multiplier: 1.5 })).toBe(3n * gwei)
  expect(tipOf({ multiplier: 3 })).toBe(4n * gwei)
  expect(tipOf(numberToHex(6n * gwei))).toBe(6n * gwei)
})

test("accepts a low tip up to the policy's floor", () => {
  const quiet: Fees = { baseFee: 1_000_000n, tip: 1_000n }
  expect(() => hold({ maxPriorityFeePerGas: gwei / 10n, maxFeePerGas: gwei / 5n }, {}, { fees: quiet })).not.toThrow()
  // The factor applies only to the market's tip.
  expect(() => hold({ maxPriorityFeePerGas: gwei / 10n + 1n }, {}, { fees: quiet })).toThrow('at most 100000000 now')
  const strict = { priorityFeeFloor: '0' }
  expect(() => hold({ maxPriorityFeePerGas: 2_001n }, strict, { fees: quiet })).toThrow('maxPriorityFeePerGas is 2001')
})

test("applies the policy's own factors", () => {
  const rules = { factors: { preVerificationGas: 1, maxFeePerGas: 1.2 } }
  expect(() => hold({ preVerificationGas: 50_001n }, rules)).not.toThrow()
  expect(() => hold({ preVerificationGas: 50_002n }, rules)).toThrow('at most 50001')
  expect(() => hold({ maxFeePerGas: (17n * gwei * 12n) / 10n + 1n }, rules)).toThrow('maxFeePerGas')
})

test("refuses a field without a factor above the gateway's value, or without one", () => {
  const rules = policyRulesSchema.parse({})
  const holdTo = (blobGasLimit: bigint, values: GasFields) => () =>
    checkPrices({ gas: { blobGasLimit }, quote: () => values, fees: market, floor: 0n, highestTip: 0n, rules })
  expect(holdTo(100n, { blobGasLimit: 100n })).not.toThrow()
  expect(holdTo(101n, { blobGasLimit: 100n })).toThrow('at most 100')
  expect(holdTo(1n, {})).toThrow('at most 0')
})
