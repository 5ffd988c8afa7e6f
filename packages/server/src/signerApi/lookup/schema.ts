import { z } from 'zod'

export const lookupSchema = z.object({ email: z.string().max(512) })
