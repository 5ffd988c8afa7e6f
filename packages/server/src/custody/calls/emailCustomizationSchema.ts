import { z } from 'zod'
import { nameSchema } from '../schemas.ts'

/** Words without dots, slashes or colons: mail programs make links of those. */
const browserSchema = z.string().regex(/^[\p{L}\p{N} ()-]{1,60}$/u, 'must be words such as Chrome on macOS')

/** What the template can show; other variables are for other templates and left out. */
const variablesSchema = z.object({
  requestedFrom: browserSchema.optional(),
  requestedAt: z.iso.datetime().optional(),
})

const jsonSchema = z
  .string()
  .max(2048)
  .transform((text, context): unknown => {
    try {
      return JSON.parse(text)
    } catch {
      context.addIssue({ code: 'custom', message: 'must be JSON text' })
      return z.NEVER
    }
  })

/** How a sign-in mail looks (custody protocol § 2.7, `email_auth`). */
export const emailCustomizationSchema = z.strictObject({
  appName: nameSchema.max(64).optional(),
  logoUrl: z
    .url({ protocol: /^https$/, error: 'must be an https URL' })
    .max(1024)
    .optional(),
  magicLinkTemplate: z.string().max(4096).optional(),
  templateVariables: jsonSchema.pipe(variablesSchema).optional(),
  /** One of the mail role's own templates; another one is dressed as usual. */
  templateId: z
    .string()
    .regex(/^[\w-]{1,64}$/)
    .optional(),
})
