import { z } from 'zod'
import { parseJson } from '../../http/requestBody.ts'
import { uncompressedKeySchema } from '../schemas.ts'

const schema = z.strictObject({
  encappedPublic: uncompressedKeySchema,
  ciphertext: z.string().regex(/^(?:[0-9a-fA-F]{2}){16,1024}$/, 'must be hex'),
})

/** What a client sealed for an import: JSON text in a string (custody protocol § 4.5), as bytes. */
export const encryptedBundleSchema = z
  .string()
  .max(4096)
  .transform((text, context) => {
    const parsed = schema.safeParse(readJson(text))
    if (parsed.success)
      return {
        enc: Buffer.from(parsed.data.encappedPublic, 'hex'),
        ciphertext: Buffer.from(parsed.data.ciphertext, 'hex'),
      }
    context.addIssue('must be JSON text with encappedPublic and ciphertext in hex')
    return z.NEVER
  })

function readJson(text: string): unknown {
  try {
    return parseJson(new TextEncoder().encode(text))
  } catch {
    return undefined
  }
}
