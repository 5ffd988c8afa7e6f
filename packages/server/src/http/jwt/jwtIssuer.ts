import type { JSONWebKeySet } from 'jose'

/** Signatures by a key pair (RFC 7518 § 3.1, RFC 8037): whoever can check one cannot make one. */
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

/** Somebody whose tokens stand for a project, instead of its API key. */
export type JwtIssuer = {
  projectId: string
  /** Claim `iss`, exactly. */
  issuer: string
  /** Claim `aud`, or one of it. */
  audience: string
  algorithms: readonly (typeof jwtAlgorithms)[number][]
  /** A JSON Web Key Set (RFC 7517): given here, read once from a file, or fetched and kept for ten minutes. */
  keys: { jwks: JSONWebKeySet } | { file: string } | { url: string }
}
