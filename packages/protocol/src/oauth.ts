/**
 * Signer API paths for sign-in by identity providers. Separate from the signer API's table, since few pages load them.
 */
import type { MfaRequiredResponse } from './multiFactors.ts'

export const oauthPaths = {
  prepare: '/v1/prepare-oauth',
  /** Latchkey only: the client sends the code that the provider returned to its page. */
  redeem: '/v1/redeem-oauth',
  /** Latchkey only: returns the identity token to a user who adds the provider, without a sign-in. */
  token: '/v1/fetch-id-token',
  jwt: '/v1/auth-jwt',
  /** GET: page to which providers return if Account Kit 4 sent the user. */
  publishedCallback: '/v1/oauth-callback',
} as const

/** Calls of the key-custody service for a user's identities. */
export const oauthCustodyPaths = {
  list: '/public/v1/query/get_oauth_providers',
  add: '/public/v1/submit/create_oauth_providers',
  remove: '/public/v1/submit/delete_oauth_providers',
} as const
export const oauthActivityTypes = {
  add: 'ACTIVITY_TYPE_CREATE_OAUTH_PROVIDERS',
  remove: 'ACTIVITY_TYPE_DELETE_OAUTH_PROVIDERS',
} as const

/** Path, on the auth frame's origin, of the page to which providers return. */
export const oauthPagePath = '/oauth/'

/**
 * Type of the message by which the page at `oauthPagePath` returns an {@link OauthAnswer} to the page that opened it.
 */
export const oauthMessage = 'LATCHKEY_OAUTH'

/** Answer of a provider (RFC 6749 § 4.1.2, RFC 9207). */
export type OauthAnswer = { state: string; code?: string; iss?: string; error?: string }

/** `nonce`: hex SHA-256 of the hex text of the frame's key. */
export type PrepareOauthRequest = { nonce: string }
export type PrepareOauthResponse = {
  /** Challenge of the secret in `requestKey` (RFC 7636, S256). */
  codeChallenge: string
  /** Sealed for the signer API. */
  requestKey: string
  /** Page to which the providers return. */
  callbackUrl: string
  authProviders: readonly {
    id: string
    /** Account Kit 4 omits it for the providers that it knows. */
    isCustomProvider?: true
    name: string
    clientId: string
    authEndpoint: string
    scope: string
  }[]
}

export type FetchIdTokenRequest = {
  requestKey: string
  providerId: string
  code: string
  /** Issuer that the provider sent with the code (RFC 9207). */
  iss?: string
}
/** Identity token, bound to the key that stamps for the user, so nobody else can use it. */
export type FetchIdTokenResponse = { idToken: string }

export type RedeemOauthRequest = FetchIdTokenRequest & {
  /** Returns {@link LinkNeededResponse} for an unverified address instead of creating an account without it. */
  asksToLink?: boolean
  targetPublicKey: string
  /** Lifetime of the session key, in seconds. */
  expirationSeconds?: number
}

/** Token of an app's own issuer. */
export type AuthJwtRequest = {
  jwt: string
  targetPublicKey: string
  authProvider?: string
  expirationSeconds?: number
}
/**
 * The token's unverified address; empty if it has none. The user signs in by email first and then adds the provider.
 */
export type LinkNeededResponse = { linkEmail: string }
export type OauthSessionResponse = { credentialBundle: string; orgId: string; isSignUp: boolean }
/** The user has a second factor. The payload is opened by `auth-validate-multi-factors`. */
export type OauthFactorResponse = MfaRequiredResponse & { orgId: string }
