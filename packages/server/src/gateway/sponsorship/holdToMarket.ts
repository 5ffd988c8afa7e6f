import type { PolicyRules } from '../../store/books/policyRules.ts'
import { multiply } from '../paymasters/gasValues.ts'
import type { Fees, GasFields } from '../paymasters/PaymasterScheme.ts'
import { policyRefused } from './refusalErrors.ts'

export declare namespace holdToMarket {
  type Parameters = {
    /** What the paymaster's signature would cover. */
    gas: GasFields
    /** What the gateway itself would fill in, from an estimate and prices of now. */
    quote: (fees: Fees) => GasFields
    fees: Fees
    rules: Pick<PolicyRules, 'factors' | 'priorityFeeFloor'>
  }
}

/**
 * Refuses an operation of which any gas or fee field is above the gateway's own value times the policy's factor. Unused
 * gas is not free, and `preVerificationGas` is paid in full to the bundler that a caller may be themselves: without
 * this, the paymaster's deposit could be drained through it. Nothing is clamped, since the account signs these fields.
 *
 * @throws `POLICY_REFUSED`, naming field and limit.
 */
export function holdToMarket({ gas, quote, fees, rules }: holdToMarket.Parameters): void {
  const floor = BigInt(rules.priorityFeeFloor)
  const market = quote({ baseFee: fees.baseFee, tip: fees.tip > floor ? fees.tip : floor })
  for (const [field, value] of Object.entries(gas).sort(byCause)) {
    const factor = readFactor(rules.factors, field)
    const limit = multiply(market[field] ?? 0n, factor)
    if (value <= limit) continue
    throw policyRefused(
      `factors.${field}`,
      `${field} is ${value}, and it pays for at most ${limit} now: ${factor} times the gateway's own value. Lower it, or leave it to the gateway.`,
      { field, value: String(value), limit: String(limit) },
    )
  }
}

/** The highest fee is made of the tip, which is named first. */
function byCause([a]: [string, bigint], [b]: [string, bigint]): number {
  return Number(a === 'maxFeePerGas') - Number(b === 'maxFeePerGas')
}

/** A field without a factor of its own must not exceed the gateway's value. */
function readFactor(factors: Readonly<Record<string, number>>, field: string): number {
  return factors[field] ?? 1
}
