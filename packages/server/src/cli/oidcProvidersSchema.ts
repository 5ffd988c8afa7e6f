import { z } from 'zod'
import { oidcAlgorithms } from '../store/oidcProviders.ts'

/** Identity providers of a project. `readOidcProviders` validates their values. */
export const oidcProvidersSchema = z
  .array(
    z.strictObject({
      id: z.string(),
      name: z.string().min(1).max(40).optional(),
      issuer: z.string(),
      audiences: z.array(z.string()).readonly(),
      algorithms: z.array(z.enum(oidcAlgorithms)).readonly(),
      jwksUrl: z.string(),
      provesEmail: z.boolean().optional(),
      network: z.enum(['public', 'private']).optional(),
      client: z
        .strictObject({
          id: z.string(),
          secret: z.string().optional(),
          secretIn: z.enum(['header', 'body']).optional(),
          authorizationUrl: z.string(),
          tokenUrl: z.string(),
          scopes: z.array(z.string()).readonly().optional(),
          publishedCallbackUrl: z.string().optional(),
        })
        .optional(),
    }),
  )
  .readonly()
