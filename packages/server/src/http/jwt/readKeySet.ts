import { readFileSync } from 'node:fs'
import type { JSONWebKeySet } from 'jose'
import { z } from 'zod'
import { ServerError } from '../ServerError.ts'

const schema = z.object({ keys: z.array(z.looseObject({ kty: z.string() })).min(1) })

/**
 * A key set that is given, or in a file.
 *
 * @throws ServerError `CONFIG_INVALID`
 */
export function readKeySet(issuer: string, keys: { jwks: JSONWebKeySet } | { file: string }): JSONWebKeySet {
  const value = 'file' in keys ? readJson(keys.file) : keys.jwks
  if (isKeySet(value)) return value
  throw new ServerError(
    `The token issuer ${JSON.stringify(issuer)} is not valid: its keys must be a JSON Web Key Set, { "keys": […] }${'file' in keys ? `, in the file ${keys.file}` : ''}.`,
    { code: 'CONFIG_INVALID', status: 500 },
  )
}

/** Whether a value is a JSON Web Key Set with a key (RFC 7517 § 5). */
export function isKeySet(value: unknown): value is JSONWebKeySet {
  return schema.safeParse(value).success
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return undefined
  }
}
