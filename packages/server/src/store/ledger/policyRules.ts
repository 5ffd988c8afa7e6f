import { z } from 'zod'

/* Rules of a gas policy, as configured and stored. Missing costs have defaults (`costLimits`); other missing rules do not
   restrict. */

const address = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/, 'must be an address of 20 bytes in hex')
  .transform((value) => value.toLowerCase() as `0x${string}`)
const selector = z
  .string()
  .regex(/^0x[0-9a-fA-F]{8}$/, 'must be a selector of 4 bytes in hex')
  .transform((value) => value.toLowerCase() as `0x${string}`)
const count = z.number().int().min(0).max(1_000_000_000)
const wei = z.string().regex(/^\d{1,30}$/, 'must be wei in decimal digits')
const gas = z.number().int().min(21_000).max(1_000_000_000_000)
const time = z.iso.datetime({ offset: true })
const factor = z
  .number()
  .min(1)
  .max(1_000)
  .refine((value) => /^\d+(\.\d{1,4})?$/.test(String(value)), 'must have at most 4 decimals')

/** `count`: operations on all chains together. `cost`: wei, separately on each chain, since their coins differ. */
const budget = z.strictObject({ count: count.optional(), cost: wei.optional() })
/** A day is a calendar day in UTC. */
const budgets = z.strictObject({ day: budget.optional(), total: budget.optional() })
const daily = budgets.omit({ total: true })

/** Factors by which each field of an operation may exceed the gateway's own estimate and market price. */
const factors = z.strictObject({
  callGasLimit: factor.default(2),
  verificationGasLimit: factor.default(2),
  // Paid in full, used or not, so any excess over the bundler's cost is the bundler's profit.
  preVerificationGas: factor.default(1.75),
  paymasterVerificationGasLimit: factor.default(2),
  paymasterPostOpGasLimit: factor.default(2),
  // Allows a factor of 2.662: a doubled fee, replaced three times with 10 percent more.
  maxFeePerGas: factor.default(3),
  // Allows a doubled fee (viem). Each of three replacements of a nonce may add 10 percent (`limitTip`).
  maxPriorityFeePerGas: factor.default(2),
})

/** Concurrently open reservations. */
const open = z.strictObject({
  /** Reservations of one client IP address, or its /64 network. */
  ip: count.default(50),
  /** Reservations of one API key: 100 times the limit of one IP address. */
  key: count.default(5_000),
  /**
   * Reservations of one sender on one chain that were requested by the same caller or sent with the account's
   * signature.
   */
  sender: count.default(8),
  /** Maximum signatures of one caller for the same nonce of a sender. */
  signatures: count.default(128),
  /**
   * Wei reserved on one chain for operations that one client IP address requested and that have not been sent through
   * the gateway yet. Limits how much of a daily budget the IP address can reserve without spending it.
   *
   * @default a hundredth of the policy's daily cost, at least `limits.operation.cost`; without that limit, a twentieth
   * of the day's remaining budget
   */
  cost: wei.optional(),
})

export const policyRulesSchema = z.strictObject({
  /** Chain ids. */
  chains: z.array(z.number().int().positive()).optional(),
  /**
   * Contracts and functions that may be called. Without `selectors`: any call, including a plain transfer. Refuses
   * accounts of unknown code and modular accounts with unknown plugins, which may ignore their call data.
   */
  targets: z.array(z.strictObject({ address, selectors: z.array(selector).optional() })).optional(),
  /** Accounts that are sponsored; all others are refused. */
  senders: z.array(address).optional(),
  /** Factories of accounts. Deployed accounts need the proxy code of a listed factory and a known implementation. */
  factories: z.array(address).optional(),
  /** Start of the policy. */
  validFrom: time.optional(),
  /** End of the policy; no signature is valid longer. */
  validUntil: time.optional(),
  limits: z
    .strictObject({
      /** Maximum possible cost of one operation, in wei, and the sum of its gas limits. */
      operation: z.strictObject({ cost: wei.optional(), gas: gas.default(10_000_000) }).prefault({}),
      sender: budgets.optional(),
      /** Operations requested from one client IP address, or its /64 network. */
      ip: daily.optional(),
      /** Operations requested with one API key. */
      key: daily.optional(),
      policy: budgets.optional(),
    })
    .prefault({}),
  factors: factors.prefault({}),
  /**
   * Tip in wei that is accepted even if the market's tip is lower, since clients have their own minimum tip.
   *
   * @default the minimum of published clients on the chain: 10000000 on Arbitrum, otherwise 100000000
   */
  priorityFeeFloor: wei.optional(),
  open: open.prefault({}),
  /** The app's own server, which must also approve each operation. */
  webhook: z
    .strictObject({
      url: z.url({ protocol: /^https?$/ }),
      timeoutMs: z.number().int().min(100).max(10_000).default(2_000),
      /** Decision if the server cannot be reached in time or its response is invalid. */
      otherwise: z.enum(['refuse', 'sponsor']).default('refuse'),
    })
    .optional(),
})

/** Rules as configured, without defaults. */
export type PolicyRulesInput = z.input<typeof policyRulesSchema>
/** Complete rules, with addresses in lower case. */
export type PolicyRules = z.output<typeof policyRulesSchema>

/** Returns whether the configured rules limit the cost of the policy as a whole. */
export function hasCostLimit(rules: PolicyRulesInput | undefined): boolean {
  const { day, total } = rules?.limits?.policy ?? {}
  return day?.cost !== undefined || total?.cost !== undefined
}
