import { expect, test } from 'vitest'
import { type PolicyRulesInput, policyRulesSchema } from '../../store/ledger/policyRules.ts'
import { maxFeePerGas, multiply } from '../paymasters/gasValues.ts'
import type { Fees, GasFields } from '../paymasters/PaymasterScheme.ts'
import { checkPrices } from './checkRules.ts'

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

function hold(change: Partial<Record<string, bigint>>, rules: PolicyRulesInput = {}, fees = market) {
  const values = { ...quote(fees), ...change } as GasFields
  checkPrices({ gas: values, quote, fees, rules: policyRulesSchema.parse(rules) })
}

test.each([
  ['callGasLimit', 200_000n],
  ['verificationGasLimit', 160_000n],
  // 1.75 × 50 001, rounded up.
  ['preVerificationGas', 87_502n],
  ['paymasterVerificationGasLimit', 120_000n],
  ['paymasterPostOpGasLimit', 0n],
  ['maxFeePerGas', 51n * gwei],
  ['maxPriorityFeePerGas', 6n * gwei],
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
  // The fees follow three replacements of 10 percent over viem's doubled fees and over fee options of 1.5.
  const viem = { maxFeePerGas: 2n * (12n * gwei + market.tip), maxPriorityFeePerGas: 2n * market.tip }
  const options = { maxFeePerGas: multiply(17n * gwei, 1.5), maxPriorityFeePerGas: multiply(market.tip, 1.5) }
  for (const first of [viem, options]) {
    let fees = first
    for (let replacement = 1; replacement <= 3; replacement++) {
      fees = {
        maxFeePerGas: multiply(fees.maxFeePerGas, 1.1),
        maxPriorityFeePerGas: multiply(fees.maxPriorityFeePerGas, 1.1),
      }
      expect(() => hold(fees)).not.toThrow()
    }
  }
})

test("accepts a low tip up to the policy's floor", () => {
  const quiet: Fees = { baseFee: 1_000_000n, tip: 1_000n }
  expect(() => hold({ maxPriorityFeePerGas: gwei / 10n, maxFeePerGas: gwei / 5n }, {}, quiet)).not.toThrow()
  const strict = { priorityFeeFloor: '0' }
  expect(() => hold({ maxPriorityFeePerGas: 3_001n }, strict, quiet)).toThrow('maxPriorityFeePerGas is 3001')
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
    checkPrices({ gas: { blobGasLimit }, quote: () => values, fees: market, rules })
  expect(holdTo(100n, { blobGasLimit: 100n })).not.toThrow()
  expect(holdTo(101n, { blobGasLimit: 100n })).toThrow('at most 100')
  expect(holdTo(1n, {})).toThrow('at most 0')
})
