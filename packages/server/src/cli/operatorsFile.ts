import { readFileSync } from 'node:fs'
import { operatorRoles } from 'latchkey-protocol/admin'
import { z } from 'zod'
import { configInvalid } from '../platform/errors/ServerError.ts'
import { parseUrl } from '../platform/http/parseUrl.ts'
import { readCoseKey } from '../webauthn/coseKey.ts'
import type { PasskeyOperator } from '../webauthn/findPasskeyOperator.ts'
import { createReader, type Environment } from './createReader.ts'

const passkey = z.strictObject({
  credentialId: z.string().regex(/^[\w-]{1,1364}$/, 'must be base64url without padding'),
  publicKey: z
    .string()
    .refine((hex) => readCoseKey(Buffer.from(hex, 'hex')) !== undefined, 'must be a COSE key of ES256 or RS256 in hex'),
})

/** Console operators, with unique ids and passkeys. */
export const operatorsSchema = z
  .array(
    z.strictObject({
      id: z.uuid(),
      name: z.string().min(1).max(128),
      role: z.enum(operatorRoles),
      passkeys: z.array(passkey).max(20),
    }) satisfies z.ZodType<PasskeyOperator>,
  )
  .max(1_000)
  .superRefine((operators, context) => {
    const seen = new Set<string>()
    for (const [index, { id, passkeys }] of operators.entries())
      for (const name of [id, ...passkeys.map(({ credentialId }) => credentialId)]) {
        if (seen.has(name)) context.addIssue({ code: 'custom', path: [index], message: 'occurs twice' })
        seen.add(name)
      }
  })

/** Settings of the commands that change console operators. */
export type OperatorsPlace = {
  path: string
  /** Origin of the console. */
  consoleUrl: string
}

/**
 * Reads the path of the operators file and the console's URL.
 *
 * @throws `CONFIG_INVALID`.
 */
export function readOperatorsPlace(environment: Environment): OperatorsPlace {
  const reader = createReader(environment)
  const setting = z.object({
    LATCHKEY_OPERATORS_FILE: z.string().describe('the JSON file of who signs in to the console'),
    LATCHKEY_CONSOLE_URL: z
      .string()
      .refine((value) => parseUrl(value) !== undefined, ' is not a URL')
      .describe('the console as browsers reach it'),
  })
  return reader.settle(
    reader.read(setting, (values) => ({
      path: values.LATCHKEY_OPERATORS_FILE,
      consoleUrl: new URL(values.LATCHKEY_CONSOLE_URL).origin,
    })),
  )
}

/**
 * Reads the operators in the file.
 *
 * @throws `CONFIG_INVALID`.
 */
export function readOperatorsFile(path: string): readonly PasskeyOperator[] {
  let value: unknown
  try {
    value = JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    throw configInvalid(`The file ${path} cannot be read as JSON: LATCHKEY_OPERATORS_FILE names a list of operators.`)
  }
  const parsed = operatorsSchema.safeParse(value)
  if (parsed.success) return parsed.data
  const places = parsed.error.issues.map(({ path: place, message }) => `${place.join('.') || 'its start'} (${message})`)
  throw configInvalid(
    `The file ${path} must hold a list of { id, name, role, passkeys: [{ credentialId, publicKey }] }; see ${places.join(', ')}.`,
  )
}
