/** Shapes of the signer API: `POST {base}/signer/v1/*`. */
import type { AccountStatement, Attestation, StampedRequest } from './custody.ts'

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
  listMultiFactors: '/v1/auth-list-multi-factors',
  updateEmailAuth: '/v1/update-email-auth',
  trackKeyExport: '/v1/track-key-export',
  /** Latchkey's own: `GET`, public, see {@link PublicConfig}. */
  config: '/v1/config',
} as const

export type LookupRequest = { email: string }
/** `orgId` is null or absent when the user does not exist. */
export type LookupResponse = { orgId?: string | null }

export type EmailAuthRequest = {
  email: string
  /** Embedded key of the auth frame: uncompressed P-256 point, 130 hex digits. */
  targetPublicKey: string
  /** Life of the session key, in seconds. */
  expirationSeconds?: number
  /** `URLSearchParams.toString()` of the parameters that the link brings back to the page. */
  redirectParams?: string
}
/** `otpId` names the code of the mail, which has `otpLength` digits; six where a service does not say. */
export type EmailAuthResponse = { orgId: string; otpId?: string; otpLength?: number }

/** Which step the published dialog shows after it has asked for a mail. */
export type SignerConfigResponse = { email: { mode: 'MAGIC_LINK' | 'OTP' } }

/** Redeems the code of a mail, for the key the mail was asked with. */
export type OtpRequest = {
  orgId: string
  otpId: string
  otpCode: string
  targetPublicKey: string
  /** Life of the session key, in seconds. */
  expirationSeconds?: number
}
export type OtpResponse = { credentialBundle: string }
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
  /** Asks Latchkey's own server for custody's signed word. */
  statement?: true
}
export type PasskeySignupResponse = {
  orgId: string
  userId: string
  address: `0x${string}`
  account?: AccountStatement
  /** Beside an `email`: how the address becomes the account's. */
  notice?: string
}

export type StampedSignerRequest = { stampedRequest: StampedRequest }

export type WhoamiUserResponse = {
  email?: string
  orgId: string
  userId: string
  /** EIP-55 address of the user's key. */
  address: `0x${string}`
  /** Where custody has signed it. */
  account?: AccountStatement
}

/** 65 bytes, `v` is 27 or 28. */
export type SignPayloadResponse = { signature: `0x${string}` }

/** Body of a non-2xx response of Latchkey's signer API and gateway HTTP layer. */
export type SignerApiErrorBody = { code: string; message: string; details?: readonly unknown[] }

/** Addresses of a server's services, fetched once by a client: no secrets. */
export type PublicConfig = {
  custodyUrl: string
  authFrameUrl: string
  exportFrameUrl: string
  importFrameUrl: string
  rootOrgId: string
  /** Its custody takes queries whose body names the call and the time, see `QueryBinding`. */
  boundQueries?: boolean
}
