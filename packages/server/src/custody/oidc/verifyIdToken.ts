import { createHash, timingSafeEqual } from 'node:crypto'
import { p256 } from '@noble/curves/nist.js'
import { decodeJwt, jwtVerify } from 'jose'
import { z } from 'zod'
import { ServerError } from '../../platform/errors/ServerError.ts'
import { requireEmail, toStoredEmail } from '../../platform/http/emails.ts'
import type { TrustedOidcProvider } from '../../store/oidcProviders.ts'
import { custodyError } from '../custodyError.ts'
import type { CustodyContext } from '../deps.ts'
import { trustedProjects } from '../organizations/trustedProjects.ts'

/** Tolerance for a provider's clock. */
const toleranceSeconds = 60

/** An identity token (OpenID Connect Core § 2) in its compact form. */
export const idTokenSchema = z
  .string()
  .max(16_384)
  .regex(/^[\w-]+\.[\w-]+\.[\w-]+$/, 'must be a signed token of an identity provider')

const claimsSchema = z.object({
  iss: z.string(),
  // Stored with the identity and compared as text.
  sub: z.string().regex(/^[\x20-\x7e]{1,255}$/),
  aud: z.union([z.string(), z.array(z.string()).min(1).max(20)]),
  azp: z.string().optional(),
  iat: z.number(),
  nonce: z.string().optional(),
  tknonce: z.string().optional(),
  email: z.string().optional(),
  email_verified: z.union([z.boolean(), z.string()]).optional(),
})
type Claims = z.output<typeof claimsSchema>

/** Identity in a token. `email`: an address that the token proves. */
export type OidcIdentity = { issuer: string; audience: string; subject: string; email: string | undefined }

export declare namespace verifyIdToken {
  type Parameters = {
    token: string
    /** Parent organization whose projects configure the providers. */
    rootOrgId: string
    /**
     * P-256 key, or the public key of a passkey, that the token must be bound to: hex.
     *
     * @default the token may be bound to any key
     */
    publicKey?: string | undefined
  }
}

/**
 * Verifies an identity token (OpenID Connect Core § 3.1.3.7). Issuer, audience and algorithm must match the projects
 * file, one of the provider's keys must have signed the token, the token must be current, and its nonce must bind it to
 * a key. May wait for the provider's keys, so it must run outside a transaction.
 *
 * @throws `OIDC_TOKEN_INVALID`, `NETWORK_UNREACHABLE`.
 */
export async function verifyIdToken(
  context: Pick<CustodyContext, 'projects' | 'rootOrganizationId' | 'keySets'>,
  { token, rootOrgId, publicKey }: verifyIdToken.Parameters,
): Promise<OidcIdentity> {
  const { provider, claims } = readClaims(context, { token, rootOrgId })
  try {
    await jwtVerify(token, context.keySets(provider.jwksUrl), {
      issuer: provider.issuer,
      audience: [...provider.audiences],
      algorithms: [...provider.algorithms],
      clockTolerance: toleranceSeconds,
      requiredClaims: ['exp', 'iat', 'sub'],
      // Providers do not follow a devnet's clock.
      currentDate: new Date(),
    })
  } catch (error) {
    if (error instanceof ServerError) throw error
    throw invalid('Its signature, times or audience are not valid', error)
  }
  if (claims.iat * 1000 > Date.now() + toleranceSeconds * 1000) throw invalid('It is from the future')
  if (!isBound(claims, publicKey)) throw invalid('Its nonce does not bind it to the key of this request')
  return toIdentity(provider, claims)
}

/**
 * Returns the identity in a token that {@link verifyIdToken} accepted before the request was recorded. Does not check
 * the token's expiry, since a confirmation can take longer.
 *
 * @throws `OIDC_TOKEN_INVALID` if the provider is no longer configured.
 */
export function readVerified(
  context: Pick<CustodyContext, 'projects' | 'rootOrganizationId'>,
  request: Pick<verifyIdToken.Parameters, 'token' | 'rootOrgId'>,
): OidcIdentity {
  const { provider, claims } = readClaims(context, request)
  return toIdentity(provider, claims)
}

/**
 * Describes a verified token's identity to its user: the provider's name in the projects file, and the address that the
 * provider has verified, or else the subject.
 */
export function describeVerified(
  context: Pick<CustodyContext, 'projects' | 'rootOrganizationId'>,
  request: Pick<verifyIdToken.Parameters, 'token' | 'rootOrgId'>,
): string {
  const { provider, claims } = readClaims(context, request)
  const email = String(claims.email_verified) === 'true' ? readEmail(claims.email) : undefined
  return `${provider.name} (${email ?? `account ${claims.sub.slice(0, 64)}`})`
}

function readClaims(
  context: Pick<CustodyContext, 'projects' | 'rootOrganizationId'>,
  { token, rootOrgId }: Pick<verifyIdToken.Parameters, 'token' | 'rootOrgId'>,
): { provider: TrustedOidcProvider; claims: Claims } {
  let claims: Claims
  try {
    claims = claimsSchema.parse(decodeJwt(token))
  } catch (error) {
    throw invalid('It cannot be read', error)
  }
  const providers = trustedProjects(context, rootOrgId).flatMap(({ oidcProviders }) => oidcProviders)
  const own = providers.filter(({ issuer }) => issuer === claims.iss)
  const audience = readAudience(claims)
  const named = own.filter(({ audiences }) => audiences.includes(audience))
  const [provider] = named
  // A request does not prove its project, so the strictest setting applies.
  if (provider) return { provider: { ...provider, provesEmail: named.every((each) => each.provesEmail) }, claims }
  throw invalid(own.length === 0 ? 'This server does not trust its issuer' : 'It is for another client')
}

/**
 * Returns the client that the token was issued to, also for several audiences (OpenID Connect Core § 3.1.3.7, 4 and 5).
 */
function readAudience({ aud, azp }: Claims): string {
  if (typeof aud === 'string') return aud
  if (aud.length === 1) return aud[0] ?? ''
  return azp !== undefined && aud.includes(azp) ? azp : ''
}

function toIdentity(provider: TrustedOidcProvider, claims: Claims): OidcIdentity {
  const email = provider.provesEmail && String(claims.email_verified) === 'true' ? readEmail(claims.email) : undefined
  return { issuer: provider.issuer, audience: readAudience(claims), subject: claims.sub, email }
}

function readEmail(text: string | undefined): string | undefined {
  if (text === undefined || text.length > 254) return undefined
  try {
    requireEmail(text)
    return toStoredEmail(text)
  } catch {
    return undefined
  }
}

/**
 * Returns whether a nonce is the SHA-256 digest of the key's hex text. Clients send P-256 points compressed or
 * uncompressed.
 */
function isBound({ nonce, tknonce }: Claims, publicKey: string | undefined): boolean {
  const given = [nonce, tknonce].filter((value) => value !== undefined)
  if (publicKey === undefined) return given.some((value) => /^[\da-f]{64}$/.test(value))
  const allowed = spellings(publicKey.toLowerCase()).map((text) => createHash('sha256').update(text).digest())
  return given.some((value) => {
    const digest = Buffer.from(value, 'hex')
    return value.length === 64 && allowed.some((each) => digest.length === 32 && timingSafeEqual(each, digest))
  })
}

function spellings(hex: string): string[] {
  if (!/^(?:0[23][\da-f]{64}|04[\da-f]{128})$/.test(hex)) return [hex]
  const point = p256.Point.fromHex(hex)
  return [point.toHex(true), point.toHex(false)]
}

function invalid(why: string, cause?: unknown): ServerError {
  return custodyError(
    'OIDC_TOKEN_INVALID',
    `The identity provider's token is refused. ${why}. Sign in with it again.`,
    cause,
  )
}
