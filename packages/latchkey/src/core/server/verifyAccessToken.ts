import { type AccessTokenClaims, accessTokenType, signerApiPaths, signerApiPrefix } from 'latchkey-protocol'
import { BaseError } from '../errors/BaseError.ts'
import { getJson } from '../http/requestJson.ts'

export declare namespace verifyAccessToken {
  type Parameters = {
    /** Token of `getAccessToken`, such as the bearer token of a request to the app's server. */
    token: string
    /** Project ID that the token's audience must match. */
    projectId: string
    /** URL of the signer service, as in `latchkeyEndpoints`. Its public keys are fetched once and cached. */
    signerApiUrl: string
    /**
     * Tolerance for clock differences, in seconds.
     * @default 30
     */
    toleranceSeconds?: number | undefined
    /**
     * Current time in milliseconds since the epoch.
     * @default Date.now()
     */
    now?: number | undefined
  }
  type ReturnType = Promise<AccessTokenClaims>
}

/**
 * Verifies an access token (JWT, RFC 7519) and returns its claims, which identify the signed-in user. Checks the
 * signature (ES256 only), type, audience and times. A token stays valid for at most five minutes after its session has
 * ended; to detect the end immediately, use {@link verifyWhoami}. For app servers: Node, Deno, Bun and Workers.
 *
 * @throws `UNAUTHENTICATED` (respond with 401). If the public keys cannot be fetched: `NETWORK_UNREACHABLE`, `TIMEOUT`,
 * `HTTP_FAILED` or `RESPONSE_INVALID`.
 *
 * @example
 * ```ts
 * import { verifyAccessToken } from 'latchkey/server'
 *
 * export async function handle(request: Request): Promise<Response> {
 *   const token = request.headers.get('authorization')?.replace(/^Bearer /i, '') ?? ''
 *   const user = await verifyAccessToken({ token, projectId: 'demo', signerApiUrl: 'http://localhost:4101' })
 *   return Response.json({ hello: user.sub })
 * }
 * ```
 */
export async function verifyAccessToken(parameters: verifyAccessToken.Parameters): verifyAccessToken.ReturnType {
  const { token, projectId, signerApiUrl, toleranceSeconds = 30, now = Date.now() } = parameters
  const parts = token.length <= maxTokenLength ? token.split('.') : []
  const [head = '', body = '', signature = ''] = parts
  const header = parseJson(head) as { alg?: unknown; typ?: unknown; kid?: unknown } | undefined
  if (parts.length !== 3 || header?.alg !== 'ES256' || header.typ !== accessTokenType)
    throw refused('The token is not an access token of Latchkey. Send the result of getAccessToken.')
  const key = await findKey(signerApiUrl, header.kid)
  const isSigned =
    key !== undefined &&
    (await crypto.subtle.verify(
      algorithm,
      key,
      fromBase64url(signature) ?? new Uint8Array(),
      new TextEncoder().encode(`${head}.${body}`),
    ))
  if (!isSigned) throw refused('The token is not signed by this server. Check signerApiUrl.')
  const claims = parseJson(body) as Partial<AccessTokenClaims> | undefined
  if (!claims || !isClaims(claims)) throw refused('The token has unknown claims. Update the package.')
  if (claims.aud !== projectId) throw refused('The token is for another project. Check projectId.')
  const seconds = now / 1000
  if (claims.exp + toleranceSeconds <= seconds) throw refused('The token has expired. Call getAccessToken again.')
  if (claims.iat - toleranceSeconds > seconds) throw refused('The token is from the future. Check this server’s clock.')
  return claims
}

/** Upper bound for the length of a token. Claims are ids, an account address and an e-mail address. */
const maxTokenLength = 4096
const algorithm = { name: 'ECDSA', hash: 'SHA-256', namedCurve: 'P-256' }
const maxAgeMs = 10 * 60_000
/** Minimum time between fetches, so that tokens with unknown keys do not flood the signer service. */
const cooldownMs = 60_000
const timeoutMs = 5_000

type KeySet = { keys: ReadonlyMap<string, CryptoKey>; fetchedAt: number }

const keySets = new Map<string, Promise<KeySet>>()
const maxKeySets = 16

async function findKey(signerApiUrl: string, id: unknown): Promise<CryptoKey | undefined> {
  if (typeof id !== 'string') return undefined
  const url = `${signerApiUrl.replace(/\/+$/, '')}${signerApiPrefix}${signerApiPaths.jwks}`
  const known = await keySets.get(url)?.catch(() => undefined)
  const ageMs = known ? performance.now() - known.fetchedAt : Number.POSITIVE_INFINITY
  const key = known?.keys.get(id)
  if (key && ageMs < maxAgeMs) return key
  if (!key && ageMs < cooldownMs) return undefined
  const next = fetchKeys(url)
  if (keySets.size < maxKeySets) keySets.set(url, next)
  // Cached keys remain usable while the signer service is down.
  return next.then(
    ({ keys }) => keys.get(id),
    (error: unknown) => {
      if (known) keySets.set(url, Promise.resolve({ ...known, fetchedAt: performance.now() - maxAgeMs + cooldownMs }))
      else keySets.delete(url)
      if (key) return key
      throw error
    },
  )
}

async function fetchKeys(url: string): Promise<KeySet> {
  const { keys } = ((await getJson({ url, timeoutMs })) ?? {}) as { keys?: unknown }
  if (!Array.isArray(keys))
    throw new BaseError('The key set of the signer service is invalid.', { code: 'RESPONSE_INVALID' })
  const imported = new Map<string, CryptoKey>()
  for (const jwk of keys.slice(0, 8) as (JsonWebKey & { kid?: unknown })[]) {
    if (typeof jwk?.kid !== 'string' || jwk.kty !== 'EC' || jwk.crv !== 'P-256') continue
    const { kty, crv, x, y } = jwk
    const key = await crypto.subtle
      .importKey('jwk', { kty, crv, ...(x && { x }), ...(y && { y }) }, algorithm, false, ['verify'])
      .catch(() => undefined)
    if (key) imported.set(jwk.kid, key)
  }
  return { keys: imported, fetchedAt: performance.now() }
}

function isClaims(claims: Partial<AccessTokenClaims>): claims is AccessTokenClaims {
  const texts = [claims.iss, claims.aud, claims.sub, claims.address]
  return (
    texts.every((text) => typeof text === 'string') && typeof claims.iat === 'number' && typeof claims.exp === 'number'
  )
}

function parseJson(part: string): Record<string, unknown> | undefined {
  const bytes = fromBase64url(part)
  try {
    const value: unknown = bytes && JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

function fromBase64url(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^[\w-]+$/.test(text)) return undefined
  try {
    return Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}

const refused = (message: string) => new BaseError(message, { code: 'UNAUTHENTICATED', name: 'AccessTokenError' })
