import { z } from 'zod'
import { emailAuthSchema } from '../email-auth/schema.ts'

const base64url = z.string().min(1).max(16_384)

/** A passkey's registration. Custody, which has to trust it, verifies it. */
const passkeySchema = z.object({
  passkey: z.object({
    challenge: base64url,
    attestation: z.object({
      credentialId: base64url,
      attestationObject: base64url,
      clientDataJson: base64url,
      transports: z.array(z.string().max(64)).max(5),
    }),
  }),
})

export const signupSchema = z.union([emailAuthSchema, passkeySchema])

export type PasskeySignup = z.output<typeof passkeySchema>['passkey']
