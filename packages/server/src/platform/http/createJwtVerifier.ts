import { readFileSync } from 'node:fs'
import {
  createLocalJWKSet,
  createRemoteJWKSet,
  customFetch,
  decodeJwt,
  errors,
  type JSONWebKeySet,
  type JWTVerifyGetKey,
  jwtVerify,
} from 'jose'
import { z } from 'zod'
import { configInvalid, ServerError } from '../errors/ServerError.ts'
import { fetchBounded, isSecureUrl } from './fetchBounded.ts'
import { parseJson } from './requestBody.ts'

/** Signature algorithms with a key pair (RFC 7518 § 3.1, RFC 8037), so that verifiers cannot sign. */
export const jwtAlgorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
] as const

/** A service whose tokens authenticate a project, instead of its API key. */
export type JwtIssuer = {
  projectId: string
  /** Claim `iss`, exactly. */
  issuer: string
  /** Claim `aud`, or one of its values. */
  audience: string
  algorithms: readonly (typeof jwtAlgorithms)[number][]
  /** Required header `typ`, such as `at+jwt` of access tokens (RFC 9068 § 2.1). @default any */
  type?: string | undefined
  /** A JSON Web Key Set (RFC 7517): given inline, read once from a file, or fetched and cached for ten minutes. */
  keys: { jwks: JSONWebKeySet } | { file: string } | { url: string }
}

const fetchTimeoutMs = 5_000
const keysMaxAgeMs = 600_000
/** Minimum time between fetches for unknown keys, so that forged tokens do not make us flood the issuer. */
const keysCooldownMs = 30_000
/** Tolerance for the issuer's clock. */
const toleranceSeconds = 30

/** A JSON Web Key Set with at least one key (RFC 7517 § 5). */
const keySetSchema = z.object({ keys: z.array(z.looseObject({ kty: z.string() })).min(1) })

export declare namespace createJwtVerifier {
  /** Resolves with the project id that a token authenticates, or null. */
  type ReturnType = (token: string) => Promise<string | null>
  type ErrorType = ServerError
}

/**
 * Returns a verifier of the configured issuers' tokens (RFC 7519): checks signature, algorithm, issuer, audience and
 * validity period, and the type if configured. Always refuses unsigned tokens and shared secrets (RFC 8725 § 3.1).
 *
 * @throws `CONFIG_INVALID`; the verifier throws `TIMEOUT` or `NETWORK_UNREACHABLE` if a key set cannot be fetched.
 */
export function createJwtVerifier(issuers: readonly JwtIssuer[]): createJwtVerifier.ReturnType {
  const known = issuers.map((issuer) => ({ ...issuer, getKey: createKeyReader(issuer) }))
  return async (token) => {
    const name = readIssuer(token)
    for (const { projectId, issuer, audience, algorithms, type, getKey } of known) {
      if (issuer !== name) continue
      const options = { issuer, audience, algorithms: [...algorithms], clockTolerance: toleranceSeconds }
      if (await verifies(token, getKey, { ...options, ...(type && { typ: type }), requiredClaims: ['exp'] }))
        return projectId
    }
    return null
  }
}

async function verifies(token: string, getKey: JWTVerifyGetKey, options: Parameters<typeof jwtVerify>[2]) {
  try {
    await jwtVerify(token, getKey, options)
    return true
  } catch (error) {
    if (error instanceof errors.JWKSTimeout) throw unreachable(error)
    if (error instanceof errors.JOSEError || error instanceof TypeError) return false
    throw error
  }
}

function readIssuer(token: string): string | undefined {
  try {
    return decodeJwt(token).iss
  } catch {
    return undefined
  }
}

function createKeyReader({ issuer, algorithms, keys }: JwtIssuer): JWTVerifyGetKey {
  const foreign = algorithms.filter((algorithm) => !(jwtAlgorithms as readonly string[]).includes(algorithm))
  if (algorithms.length === 0 || foreign.length > 0)
    throw invalid(issuer, `its algorithms must be some of ${jwtAlgorithms.join(', ')}`)
  if (!('url' in keys)) return createLocalJWKSet(readKeySet(issuer, keys))
  if (!isSecureUrl(keys.url)) throw invalid(issuer, 'the URL of its keys must be https')
  return createRemoteJWKSet(new URL(keys.url), {
    timeoutDuration: fetchTimeoutMs,
    cacheMaxAge: keysMaxAgeMs,
    cooldownDuration: keysCooldownMs,
    [customFetch]: fetchKeys,
  })
}

async function fetchKeys(url: string): Promise<Response> {
  const { status, body } = await fetchBounded(url, {
    what: "The key set of the token's issuer",
    timeoutMs: fetchTimeoutMs,
    maxBytes: 500_000,
  })
  // An outage of the issuer does not make the token invalid.
  if (status !== 200 || !isKeySet(parse(body))) throw unreachable()
  return new Response(body)
}

function parse(body: Uint8Array): unknown {
  try {
    return parseJson(body)
  } catch {
    return undefined
  }
}

function readKeySet(issuer: string, keys: { jwks: JSONWebKeySet } | { file: string }): JSONWebKeySet {
  const value = 'file' in keys ? readJson(keys.file) : keys.jwks
  if (isKeySet(value)) return value
  const file = 'file' in keys ? `, in the file ${keys.file}` : ''
  throw invalid(issuer, `its keys must be a JSON Web Key Set, { "keys": […] }${file}`)
}

function isKeySet(value: unknown): value is JSONWebKeySet {
  return keySetSchema.safeParse(value).success
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return undefined
  }
}

function unreachable(cause?: unknown): ServerError {
  return new ServerError("The key set of the token's issuer cannot be fetched. Try again in a moment.", {
    code: 'NETWORK_UNREACHABLE',
    status: 502,
    cause,
  })
}

function invalid(issuer: string, why: string): ServerError {
  return configInvalid(`The token issuer ${JSON.stringify(issuer)} is not valid: ${why}.`)
}
