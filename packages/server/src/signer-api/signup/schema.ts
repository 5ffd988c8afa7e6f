import { z } from 'zod'
import { emailAuthSchema } from '../email-auth/schema.ts'

export const signupSchema = z.union([emailAuthSchema, z.object({ passkey: z.unknown() })])
