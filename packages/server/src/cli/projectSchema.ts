import { signingRules, webhookTypes } from 'latchkey-protocol'
import { z } from 'zod'
import { spendingRulesSchema } from '../store/spendingRulesSchema.ts'
import { oidcProvidersSchema } from './oidcProvidersSchema.ts'

/** A project in the projects file. */
export const projectSchema = z.object({
  id: z.string(),
  name: z.string(),
  apiKey: z.string(),
  redirectUrls: z.array(z.string()),
  allowedOrigins: z.array(z.string()),
  organizationId: z.string().optional(),
  logoUrl: z.string().optional(),
  hidesAccounts: z.boolean().optional(),
  codes: z.enum(['nine-digits', 'six-digits']).optional(),
  parentCredentials: z.enum(['refused', 'allowed']).optional(),
  linkSeconds: z.int().optional(),
  redirectParams: z.array(z.string()).optional(),
  unboundQueries: z.enum(['brief', 'always']).optional(),
  confirmations: z.enum(['mail', 'none']).optional(),
  withoutAddress: z.enum(['passkey', 'address-first']).optional(),
  movesIn: z.enum(['refused', 'allowed']).optional(),
  exportsTo: z.enum(['confirmation', 'frame']).optional(),
  importsTo: z.enum(['confirmation', 'frame']).optional(),
  frameSigning: z.enum(['off', 'on']).optional(),
  signerCodes: z.enum(['refused', 'allowed', 'preferred']).optional(),
  rpId: z.string().optional(),
  signing: z
    .strictObject({
      blind: z.enum(['deny', 'allow']).optional(),
      deny: z.array(z.enum(signingRules)).readonly().optional(),
      review: z.array(z.enum(signingRules)).readonly().optional(),
      spending: spendingRulesSchema.optional(),
    })
    .optional(),
  oidcProviders: oidcProvidersSchema.optional(),
  webhooks: z
    .array(
      z.strictObject({
        id: z.string(),
        url: z.string(),
        events: z.array(z.enum(webhookTypes)),
        secret: z.string(),
        previousSecret: z.string().optional(),
      }),
    )
    .optional(),
})
