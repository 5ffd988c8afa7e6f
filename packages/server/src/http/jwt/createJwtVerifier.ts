import {
  createLocalJWKSet,
  createRemoteJWKSet,
  customFetch,
  decodeJwt,
  errors,
  type JWTVerifyGetKey,
  jwtVerify,
} from 'jose'
import { fetchBounded } from '../fetchBounded.ts'
import { isSecureUrl } from '../isSecureUrl.ts'
import { parseJson } from '../parseJson.ts'
import { ServerError } from '../ServerError.ts'
import { type JwtIssuer, jwtAlgorithms } from './jwtIssuer.ts'
import { isKeySet, readKeySet } from './readKeySet.ts'

const fetchTimeoutMs = 5_000
const keysMaxAgeMs = 600_000
/** An unknown key asks for the set anew, but not more often than this: tokens of strangers must not make us a hammer. */
const keysCooldownMs = 30_000
/** Clocks of other servers. */
const toleranceSeconds = 30

export declare namespace createJwtVerifier {
  /** Answers the id of the project a token stands for, or null. */
  type ReturnType = (token: string) => Promise<string | null>
}

/**
 * Verifies tokens (RFC 7519) of the configured issuers: signature by a key of the issuer's set with one of its
 * algorithms, issuer, audience, start and end. Unsigned tokens and shared secrets are refused whatever is configured
 * (RFC 8725 § 3.1).
 *
 * @throws ServerError `CONFIG_INVALID`; the verifier: `TIMEOUT` | `NETWORK_UNREACHABLE` when a key set cannot be fetched
 */
export function createJwtVerifier(issuers: readonly JwtIssuer[]): createJwtVerifier.ReturnType {
  const known = issuers.map((issuer) => ({ ...issuer, getKey: keysOf(issuer) }))
  return async (token) => {
    const name = issuerOf(token)
    for (const { projectId, issuer, audience, algorithms, getKey } of known) {
      if (issuer !== name) continue
      const options = { issuer, audience, algorithms: [...algorithms], clockTolerance: toleranceSeconds }
      if (await verifies(token, getKey, { ...options, requiredClaims: ['exp'] })) return projectId
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

function issuerOf(token: string): string | undefined {
  try {
    return decodeJwt(token).iss
  } catch {
    return undefined
  }
}

function keysOf({ issuer, algorithms, keys }: JwtIssuer): JWTVerifyGetKey {
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
  // An outage of the issuer's is told as one: it does not make the token a wrong one.
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

function unreachable(cause?: unknown): ServerError {
  return new ServerError("The key set of the token's issuer cannot be fetched. Try again in a moment.", {
    code: 'NETWORK_UNREACHABLE',
    status: 502,
    cause,
  })
}

function invalid(issuer: string, why: string): ServerError {
  return new ServerError(`The token issuer ${JSON.stringify(issuer)} is not valid: ${why}.`, {
    code: 'CONFIG_INVALID',
    status: 500,
  })
}
