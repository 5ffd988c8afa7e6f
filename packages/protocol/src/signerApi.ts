/** Types of the signer API: `POST {base}/signer/v1/*`. */
import type { AccountStatement, Activity, Attestation, StampedRequest } from './custody.ts'
import type { MfaRequiredResponse } from './multiFactors.ts'

export const signerApiPrefix = '/signer'

export const signerApiPaths = {
  lookup: '/v1/lookup',
  signup: '/v1/signup',
  auth: '/v1/auth',
  whoami: '/v1/whoami',
  signPayload: '/v1/sign-payload',
  signerConfig: '/v1/signer-config',
  otp: '/v1/otp',
  listAuthMethods: '/v1/list-auth-methods',
  updateEmailAuth: '/v1/update-email-auth',
  trackKeyExport: '/v1/track-key-export',
  /** Latchkey's own: `GET`, public, see {@link PublicConfig}. */
  config: '/v1/config',
  /** Latchkey's own: exchanges a stamped `whoami` for an access token, see {@link AccessTokenClaims}. */
  accessToken: '/v1/access-token',
  /** Latchkey's own: `GET`, public keys of access tokens (RFC 7517). */
  jwks: '/.well-known/jwks.json',
} as const

export type LookupRequest = { email: string }
/** `orgId` is null or absent when the user does not exist. */
export type LookupResponse = { orgId?: string | null }

export type EmailAuthRequest = {
  email: string
  /** Embedded key of the auth frame: uncompressed P-256 point, 130 hex digits. */
  targetPublicKey: string
  /** Lifetime of the session key, in seconds. */
  expirationSeconds?: number
  /** `URLSearchParams.toString()` of the parameters that the link brings back to the page. */
  redirectParams?: string
  /** `otp`: a user with a second factor gets a code without a link, and the factor is asked for after the code. */
  emailMode?: 'magicLink' | 'otp'
  /** Second factor, which a link needs before it is mailed. */
  multiFactors?: readonly { multiFactorId: string; multiFactorCode: string }[]
}
/** `otpId`: id of the emailed code. `otpLength`: number of the code's digits; six if the service omits it. */
export type EmailAuthResponse = { orgId: string; otpId?: string; otpLength?: number }

/** Determines which step the published dialog shows after it has requested an email. */
export type SignerConfigResponse = { email: { mode: 'MAGIC_LINK' | 'OTP' } }

/** Exchanges an emailed code for a bundle, encrypted to the key in the request for that email. */
export type OtpRequest = {
  orgId: string
  otpId: string
  otpCode: string
  targetPublicKey: string
  /** Lifetime of the session key, in seconds. */
  expirationSeconds?: number
  multiFactors?: readonly { multiFactorId: string; multiFactorCode: string }[]
}
export type OtpResponse = { credentialBundle: string } | MfaRequiredResponse
/** Text that the published dialog looks for in the response to a wrong code. */
export const wrongCodeError = 'invalid OTP code'

export type AuthMethodsResponse = {
  /** Masked, `a***@example.com`; only once an email to it was used. */
  email?: string
  oauthProviders: readonly never[]
  /** `name`: `Passkey 1` and so on; `createdAt`: milliseconds since 1970. */
  passkeys: readonly { authenticatorId: string; name: string; createdAt: number }[]
}

/** Body of `/v1/signup` for a person with a passkey. */
export type PasskeySignupRequest = {
  passkey: { challenge: string; attestation: Attestation }
  /** Sent by published clients. It is not stored, see `notice`. */
  email?: string
  /** Asks Latchkey's own server for `account` in the response. */
  statement?: true
}
export type PasskeySignupResponse = {
  orgId: string
  userId: string
  address: `0x${string}`
  account?: AccountStatement
  /** Sent if the request has an `email`: explains how the address can be added to the account. */
  notice?: string
}

export type StampedSignerRequest = { stampedRequest: StampedRequest }

export type WhoamiUserResponse = {
  email?: string
  orgId: string
  userId: string
  /** EIP-55 address of the user's key. */
  address: `0x${string}`
  /** Custody's signed statement of the credential's owner, if available. */
  account?: AccountStatement
}

/** Lifetime of an access token, in seconds. */
export const accessTokenSeconds = 300

/** Header `typ` of an access token (RFC 9068 § 2.1). */
export const accessTokenType = 'at+jwt'

/**
 * Claims of an access token: a JWT (RFC 7519) signed with ES256, by which an app's server identifies the signed-in
 * user.
 */
export type AccessTokenClaims = {
  /** `urn:uuid:` and the id of the project's parent organization. */
  iss: string
  /** Project id. */
  aud: string
  /** `organizationId/userId`: the same for a user in all sessions. */
  sub: string
  /** Seconds since the epoch. */
  iat: number
  exp: number
  /** EIP-55 address of the user's key, not of a smart account. */
  address: `0x${string}`
  /** Only if a link or code sent to the address was used. */
  email?: string
}

export type AccessTokenResponse = {
  accessToken: string
  /** Milliseconds since 1970. */
  expiresAtMs: number
}

/** 65 bytes, `v` is 27 or 28; or an activity that waits for the user's confirmation. */
export type SignPayloadResponse = { signature: `0x${string}` } | { activity: Activity }

/** Body of a non-2xx response of Latchkey's signer API and gateway HTTP layer. */
export type SignerApiErrorBody = {
  code: string
  message: string
  details?: readonly unknown[]
  /** `MultiFactorsDetail` of the error `MFA_REQUIRED`. */
  data?: unknown
}

/** URLs of a server's services, fetched once by a client. Contains no secrets. */
export type PublicConfig = {
  custodyUrl: string
  authFrameUrl: string
  exportFrameUrl: string
  importFrameUrl: string
  rootOrgId: string
  /** Project that the server identified; access tokens are for its servers. */
  projectId?: string
  /** Whether custody accepts queries whose body contains the call and the time, see `QueryBinding`. */
  boundQueries?: boolean
  /**
   * Whether custody reads the content that it signs: user operations and messages instead of digests, see
   * `SignablePayload`.
   */
  readsPayloads?: boolean
}
