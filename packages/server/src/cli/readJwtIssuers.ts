import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { type JwtIssuer, jwtAlgorithms } from '../http/createJwtVerifier.ts'

const schema = z.array(
  z.strictObject({
    projectId: z.string(),
    issuer: z.string().min(1),
    audience: z.string().min(1),
    algorithms: z.array(z.enum(jwtAlgorithms)).min(1),
    keys: z.union([
      z.strictObject({ jwks: z.looseObject({ keys: z.array(z.looseObject({ kty: z.string() })) }) }),
      z.strictObject({ file: z.string() }),
      z.strictObject({ url: z.url() }),
    ]),
  }),
)

/** The issuers of tokens in a JSON file. What is wrong with it is added to `problems`. */
export function readJwtIssuers(path: string | undefined, problems: string[]): JwtIssuer[] | undefined {
  if (path === undefined) return undefined
  let content: unknown
  try {
    content = JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    problems.push(`LATCHKEY_JWT_ISSUERS_FILE: ${path} cannot be read as JSON`)
    return undefined
  }
  const parsed = schema.safeParse(content)
  if (parsed.success) return parsed.data
  const where = parsed.error.issues[0]?.path.join('.') ?? ''
  problems.push(
    `LATCHKEY_JWT_ISSUERS_FILE must hold a list of { projectId, issuer, audience, algorithms, keys }; see ${where || 'its start'}`,
  )
  return undefined
}
