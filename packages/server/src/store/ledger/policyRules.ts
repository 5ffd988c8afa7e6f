import { z } from 'zod'

/* What a gas policy pays for, as it is configured and stored. Everything that is left out does not restrict. */

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
const time = z.iso.datetime({ offset: true })
const factor = z
  .number()
  .min(1)
  .max(1_000)
  .refine((value) => /^\d+(\.\d{1,4})?$/.test(String(value)), 'must have at most 4 decimals')

/** `count`: operations, on all chains together. `cost`: wei, on each chain by itself, since their coins differ. */
const budget = z.strictObject({ count: count.optional(), cost: wei.optional() })
/** A day is a calendar day in UTC. */
const budgets = z.strictObject({ day: budget.optional(), total: budget.optional() })

/** By how much each field of an operation may exceed the gateway's own estimate and market price. */
const factors = z.strictObject({
  callGasLimit: factor.default(2),
  verificationGasLimit: factor.default(2),
  // Paid in full, used or not: what is beyond the bundler's cost is a gift to the bundler.
  preVerificationGas: factor.default(1.75),
  paymasterVerificationGasLimit: factor.default(2),
  paymasterPostOpGasLimit: factor.default(2),
  // A doubled fee, replaced three times by 10 percent more: 2.662.
  maxFeePerGas: factor.default(3),
  maxPriorityFeePerGas: factor.default(3),
})

/** Open reservations at once. */
const open = z.strictObject({
  /** Of one client address, or its /64 network. */
  ip: count.default(50),
  /** Of one API key. */
  key: count.default(2_000),
  /** Of one sender on one chain. */
  sender: count.default(8),
  /** Signatures for the same nonce of a sender. */
  signatures: count.default(128),
})

export const policyRulesSchema = z.strictObject({
  /** Chain ids. */
  chains: z.array(z.number().int().positive()).optional(),
  /** Contracts that may be called, by which functions. Without `selectors`: any call, a plain transfer too. */
  targets: z.array(z.strictObject({ address, selectors: z.array(selector).optional() })).optional(),
  /** The only accounts that are paid for. */
  senders: z.array(address).optional(),
  /** Factories of accounts that are not deployed. */
  factories: z.array(address).optional(),
  /** The policy pays from then on. */
  validFrom: time.optional(),
  /** No signature counts longer than that. */
  validUntil: time.optional(),
  limits: z
    .strictObject({
      /** Highest possible cost of one operation, wei. */
      operation: z.strictObject({ cost: wei.optional() }).optional(),
      sender: budgets.optional(),
      policy: budgets.optional(),
    })
    .default({}),
  factors: factors.prefault({}),
  /** Wei. A tip up to this times the factor passes, where the market's is lower: clients have a least tip of their own. */
  priorityFeeFloor: wei.default('100000000'),
  open: open.prefault({}),
  /** A server of the app that decides, too. */
  webhook: z
    .strictObject({
      url: z.url({ protocol: /^https?$/ }),
      timeoutMs: z.number().int().min(100).max(10_000).default(2_000),
      /** What counts when it is not reached in time, or its response is not usable. */
      otherwise: z.enum(['refuse', 'sponsor']).default('refuse'),
    })
    .optional(),
})

/** As they are configured: with defaults left out. */
export type PolicyRulesInput = z.input<typeof policyRulesSchema>
/** Complete, with addresses in lower case. */
export type PolicyRules = z.output<typeof policyRulesSchema>
