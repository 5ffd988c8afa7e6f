import { z } from 'zod'

const address = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/, 'must be an address, 0x and 40 hex digits')
  .transform((text) => text.toLowerCase() as `0x${string}`)

const limitSchema = z.strictObject({
  chainId: z.int().min(1),
  token: z.union([z.literal('native'), address], 'must be native or the address of a token'),
  perDay: z.string().regex(/^(?:0|[1-9]\d{0,76})$/, 'must be decimal, in the smallest unit, with at most 77 digits'),
})

const limits = z
  .array(limitSchema)
  .max(50)
  .refine(
    (limits) => new Set(limits.map(({ chainId, token }) => `${chainId} ${token}`)).size === limits.length,
    'must have one limit a chain and token',
  )
  .readonly()

const recipients = z.array(address).min(1).max(200).readonly().nullable()

/** Schema of `SpendingRules`, of users and of the projects file. */
export const spendingRulesSchema = z.strictObject({ limits, recipients, unlisted: z.enum(['allow', 'review']) })

/** Schema of `KeyScope`. */
export const keyScopeSchema = z.strictObject({ limits, recipients, contracts: z.array(address).max(50).readonly() })
