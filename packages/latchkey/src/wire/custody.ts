/** Shapes of the custody API: `POST /public/v1/query/*` and `/public/v1/submit/*`. */

/** A stamp in transport form: the header that signs the exact body bytes. */
export type Stamp = { stampHeaderName: string; stampHeaderValue: string }

/** A request signed by one party and sent by another. `body` must travel byte for byte. */
export type StampedRequest = { body: string; stamp: Stamp; url: string }

/** Decoded JSON of an `X-Stamp` header. `publicKey`: compressed SEC1 hex; `signature`: DER hex. */
export type ApiKeyStamp = { publicKey: string; scheme: string; signature: string }

export const stampSchemes = {
  p256: 'SIGNATURE_SCHEME_TK_API_P256',
  secp256k1: 'SIGNATURE_SCHEME_TK_API_SECP256K1',
} as const

export const custodyPaths = {
  whoami: '/public/v1/query/whoami',
  getActivity: '/public/v1/query/get_activity',
  listWallets: '/public/v1/query/list_wallets',
  listWalletAccounts: '/public/v1/query/list_wallet_accounts',
  createSubOrganization: '/public/v1/submit/create_sub_organization',
  emailAuth: '/public/v1/submit/email_auth',
  signRawPayload: '/public/v1/submit/sign_raw_payload',
} as const

export const activityTypes = {
  createSubOrganization: 'ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V7',
  emailAuth: 'ACTIVITY_TYPE_EMAIL_AUTH_V2',
  signRawPayload: 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2',
} as const

export type ActivityStatus =
  | 'ACTIVITY_STATUS_CREATED'
  | 'ACTIVITY_STATUS_PENDING'
  | 'ACTIVITY_STATUS_COMPLETED'
  | 'ACTIVITY_STATUS_FAILED'
  | 'ACTIVITY_STATUS_REJECTED'
  | 'ACTIVITY_STATUS_CONSENSUS_NEEDED'
  | 'ACTIVITY_STATUS_AUTHENTICATORS_NEEDED'

/** Seconds and nanoseconds as decimal strings. */
export type Timestamp = { seconds: string; nanos: string }

/** Envelope of every `/submit/` request. `timestampMs`: client wall clock, decimal string. */
export type ActivityRequest<parameters = Record<string, unknown>> = {
  organizationId: string
  type: string
  timestampMs: string
  parameters: parameters
}

export type Activity = {
  id: string
  organizationId: string
  status: ActivityStatus
  type: string
  intent: Record<string, unknown>
  result: Record<string, unknown>
  votes: unknown[]
  /** `sha256:` + hex of SHA-256 over the request body bytes. */
  fingerprint: string
  canApprove: boolean
  canReject: boolean
  createdAt: Timestamp
  updatedAt: Timestamp
  failure?: CustodyErrorBody
}

export type ActivityResponse = { activity: Activity }

/** gRPC-style status of a non-2xx answer. `code` 3, 5, 7, 8, 13 or 16. */
export type CustodyErrorBody = { code: number; message: string; details: unknown[] | null }

export type WhoamiRequest = { organizationId: string }
export type WhoamiResponse = {
  organizationId: string
  organizationName: string
  userId: string
  username: string
}

export type SignRawPayloadParameters = {
  encoding: 'PAYLOAD_ENCODING_HEXADECIMAL'
  hashFunction: 'HASH_FUNCTION_NO_OP'
  /** 32-byte digest, hex with `0x`. */
  payload: string
  /** EIP-55 address. */
  signWith: string
}
/** `r`, `s`: 64 hex digits without `0x`; `v`: recovery bit `00` or `01`. */
export type SignRawPayloadResult = { r: string; s: string; v: string }
