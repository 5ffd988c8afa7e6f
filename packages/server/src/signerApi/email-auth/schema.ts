import { z } from 'zod'
import { isPoint } from '../../keys/encodings.ts'

/** Body of `/v1/auth`, and of `/v1/signup` by e-mail. */
export const emailAuthSchema = z.object({
  email: z.string().max(512),
  targetPublicKey: z
    .string()
    .regex(/^04[0-9a-fA-F]{128}$/, 'must be an uncompressed P-256 point of 130 hex digits, starting with 04')
    // Before a user is made for it.
    .refine((hex) => isPoint(hex), 'is not a point of P-256'),
  /** Custody brings it into its range; some clients send milliseconds. */
  expirationSeconds: z.number().positive().max(9_999_999_999).optional(),
  redirectParams: z.string().max(2048).optional(),
})

export type EmailAuthBody = z.output<typeof emailAuthSchema>
