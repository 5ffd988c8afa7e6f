/** Types of the custody API: `POST /public/v1/query/*` and `/public/v1/submit/*`. */

import type { ActivityConfirmation } from './confirmations.ts'

/** A stamp in transport form: the header that signs the exact body bytes. */
export type Stamp = { stampHeaderName: string; stampHeaderValue: string }

/** A request signed by one party and sent by another. `body` must be sent byte for byte. */
export type StampedRequest = { body: string; stamp: Stamp; url: string }

/** Decoded JSON of an `X-Stamp` header. `publicKey`: compressed SEC1 hex; `signature`: DER hex. */
export type ApiKeyStamp = { publicKey: string; scheme: string; signature: string }

/** JSON text of an `X-Stamp-Webauthn` header; every member base64url. `credentialId`: the raw id. */
export type WebauthnStamp = {
  authenticatorData: string
  clientDataJson: string
  credentialId: string
  /** ES256: DER; RS256: PKCS#1 v1.5. */
  signature: string
}

/** Transport of an authenticator; browsers call them `ble`, `hybrid`, `internal`, `nfc` and `usb`. */
export type AuthenticatorTransport =
  | 'AUTHENTICATOR_TRANSPORT_BLE'
  | 'AUTHENTICATOR_TRANSPORT_HYBRID'
  | 'AUTHENTICATOR_TRANSPORT_INTERNAL'
  | 'AUTHENTICATOR_TRANSPORT_NFC'
  | 'AUTHENTICATOR_TRANSPORT_USB'

/** New passkey. Its `challenge`, base64url of 32 random bytes, is sent separately. */
export type Attestation = {
  /** base64url of the raw id. */
  credentialId: string
  /** base64url of CBOR. */
  attestationObject: string
  /** base64url of JSON. */
  clientDataJson: string
  transports: AuthenticatorTransport[]
}

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
  otpAuth: '/public/v1/submit/otp_auth',
  signRawPayload: '/public/v1/submit/sign_raw_payload',
  createAuthenticators: '/public/v1/submit/create_authenticators',
  exportWallet: '/public/v1/submit/export_wallet',
  exportWalletAccount: '/public/v1/submit/export_wallet_account',
  setSpendingRules: '/public/v1/submit/set_spending_rules',
  getSpendingRules: '/public/v1/query/get_spending_rules',
  listUsers: '/public/v1/query/list_users',
  updateUser: '/public/v1/submit/update_user',
  getAuthenticators: '/public/v1/query/get_authenticators',
  getApiKeys: '/public/v1/query/get_api_keys',
  deleteAuthenticators: '/public/v1/submit/delete_authenticators',
  createApiKeys: '/public/v1/submit/create_api_keys',
  deleteApiKeys: '/public/v1/submit/delete_api_keys',
  stampLogin: '/public/v1/submit/stamp_login',
  initImportWallet: '/public/v1/submit/init_import_wallet',
  importWallet: '/public/v1/submit/import_wallet',
  initImportPrivateKey: '/public/v1/submit/init_import_private_key',
  importPrivateKey: '/public/v1/submit/import_private_key',
  noteMoveFailure: '/public/v1/submit/note_move_failure',
  deleteSubOrganization: '/public/v1/submit/delete_sub_organization',
  cancelDeletion: '/public/v1/submit/cancel_deletion',
  /** Latchkey only: accepts the bytes of a pending `/submit/` request and sends its confirmation email again. */
  resendConfirmation: '/public/v1/resend_confirmation',
  readConfirmation: '/public/v1/confirmation/read',
  decideConfirmation: '/public/v1/confirmation/decide',
} as const

export const activityTypes = {
  createSubOrganization: 'ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V7',
  emailAuth: 'ACTIVITY_TYPE_EMAIL_AUTH_V2',
  otpAuth: 'ACTIVITY_TYPE_OTP_AUTH',
  signRawPayload: 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2',
  createAuthenticators: 'ACTIVITY_TYPE_CREATE_AUTHENTICATORS_V2',
  exportWallet: 'ACTIVITY_TYPE_EXPORT_WALLET',
  exportWalletAccount: 'ACTIVITY_TYPE_EXPORT_WALLET_ACCOUNT',
  setSpendingRules: 'ACTIVITY_TYPE_SET_SPENDING_RULES',
  deleteAuthenticators: 'ACTIVITY_TYPE_DELETE_AUTHENTICATORS',
  createApiKeys: 'ACTIVITY_TYPE_CREATE_API_KEYS_V2',
  deleteApiKeys: 'ACTIVITY_TYPE_DELETE_API_KEYS',
  stampLogin: 'ACTIVITY_TYPE_STAMP_LOGIN',
  initImportWallet: 'ACTIVITY_TYPE_INIT_IMPORT_WALLET',
  importWallet: 'ACTIVITY_TYPE_IMPORT_WALLET',
  initImportPrivateKey: 'ACTIVITY_TYPE_INIT_IMPORT_PRIVATE_KEY',
  importPrivateKey: 'ACTIVITY_TYPE_IMPORT_PRIVATE_KEY',
  noteMoveFailure: 'ACTIVITY_TYPE_NOTE_MOVE_FAILURE',
  updateUser: 'ACTIVITY_TYPE_UPDATE_USER',
  deleteSubOrganization: 'ACTIVITY_TYPE_DELETE_SUB_ORGANIZATION',
  cancelDeletion: 'ACTIVITY_TYPE_CANCEL_DELETION',
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
  /** Present while Latchkey's server waits for the user's confirmation. */
  confirmation?: ActivityConfirmation
}

export type ActivityResponse = { activity: Activity }

/** gRPC-style status of a non-2xx response. `code` 3, 5, 7, 8, 13 or 16. */
export type CustodyErrorBody = { code: number; message: string; details: unknown[] | null }

/**
 * Detail of `ORGANIZATION_DELETING`: the organization, and the time at which its keys are destroyed, in milliseconds
 * since 1970 as a decimal string.
 */
export type DeletionDetail = { organizationId: string; deletionDueAtMs: string }

/**
 * Optional members of a query's body that bind its stamp to one call and time, since the stamp covers only the body:
 * the path, and the client's clock as a decimal string. Only Latchkey's server reads them.
 */
export type QueryBinding = { path?: string | undefined; timestampMs?: string | undefined }

export type WhoamiRequest = {
  organizationId: string
  /** Project that may use the stamp to identify the user (Latchkey's server only). @default any project of the parent */
  audience?: string | undefined
}
export type WhoamiResponse = {
  organizationId: string
  organizationName: string
  userId: string
  username: string
  /** Address of the first account, EIP-55; sent by Latchkey's own server. */
  address?: string
  /** Address of the first account, signed by custody; only for queries whose body contains path and time. */
  account?: AccountStatement
}

/** Owner of a credential, signed by custody, so that a relay can neither change it nor use it for another credential. */
export type AccountStatement = {
  /** JSON text of {@link AccountStatementData}. */
  data: string
  /** ECDSA P-256 over SHA-256 of the text: r and s, 128 hex digits. */
  signature: string
  /** The signing key: uncompressed P-256 point, 130 hex digits. It also signs export and import bundles. */
  signingKey: string
}
/** `credential`: compressed public key in hex, or base64url id of a passkey. `address`: of the first account, EIP-55. */
export type AccountStatementData = {
  statement: 'account'
  credential: string
  organizationId: string
} & BundleAccount & { address: string }

/**
 * Content to sign. Every custody service signs digests (hexadecimal, no-op). Services that read what they sign also
 * accept the last two encodings.
 *
 * - `EIP7702_AUTHORIZATION`: JSON of `address`, `chainId` and `nonce`; every custody service reads it.
 * - `USER_OPERATION`: JSON of {@link UserOperationPayload}.
 * - `ACCOUNT_MESSAGE`: JSON of {@link AccountMessagePayload}.
 */
export type SignablePayload = {
  encoding:
    | 'PAYLOAD_ENCODING_HEXADECIMAL'
    | 'PAYLOAD_ENCODING_EIP712'
    | 'PAYLOAD_ENCODING_EIP7702_AUTHORIZATION'
    | 'PAYLOAD_ENCODING_USER_OPERATION'
    | 'PAYLOAD_ENCODING_ACCOUNT_MESSAGE'
  hashFunction: 'HASH_FUNCTION_NO_OP' | 'HASH_FUNCTION_KECCAK256'
  /** Hex with `0x`, or JSON. */
  payload: string
}
/** `signWith`: EIP-55 address. */
export type SignRawPayloadParameters = SignablePayload & { signWith: string }
/** A user operation in JSON-RPC form. */
export type UserOperationPayload = { chainId: number; entryPoint: string; operation: Record<string, unknown> }
/** Message of a smart account (ERC-1271): typed data that contains the content's hash, and the content. */
export type AccountMessagePayload = { wrapper: Record<string, unknown>; content: SignablePayload }
/** `r`, `s`: 64 hex digits without `0x`; `v`: recovery bit `00` or `01`. */
export type SignRawPayloadResult = { r: string; s: string; v: string }

/** Sent without a stamp: the emailed code is the proof. `targetPublicKey`: key in the request for the email. */
export type OtpAuthParameters = {
  otpId: string
  otpCode: string
  targetPublicKey: string
  /** Second factor of a user who has one. */
  multiFactors?: readonly { multiFactorId: string; multiFactorCode: string }[] | undefined
}
export type OtpAuthResult = { userId: string; apiKeyId: string; credentialBundle: string }

export type GetActivityRequest = { activityId: string; organizationId: string }

export type ListWalletsRequest = { organizationId: string }
export type ListWalletsResponse = {
  wallets: {
    walletId: string
    walletName: string
    createdAt: Timestamp
    updatedAt: Timestamp
    exported: boolean
    imported: boolean
  }[]
}

/** Without `walletId`: the accounts of every wallet. */
export type ListWalletAccountsRequest = { organizationId: string; walletId?: string }
export type ListWalletAccountsResponse = {
  accounts: {
    walletAccountId: string
    organizationId: string
    walletId: string
    curve: 'CURVE_SECP256K1'
    pathFormat: 'PATH_FORMAT_BIP32'
    path: string
    addressFormat: 'ADDRESS_FORMAT_ETHEREUM'
    /** EIP-55. */
    address: string
    createdAt: Timestamp
    updatedAt: Timestamp
  }[]
}

/** `targetPublicKey`: embedded key of the export frame, 130 hex digits. */
export type ExportWalletParameters = { walletId: string; targetPublicKey: string }
/** `exportBundle`: JSON text of an {@link ExportBundle}; missing if the confirmation page shows the secret. */
export type ExportWalletResult = { walletId: string; exportBundle?: string }

export type ExportWalletAccountParameters = { address: string; targetPublicKey: string }
export type ExportWalletAccountResult = { address: string; exportBundle?: string }

/** A secret sealed to an export frame's key and signed by the service. */
export type ExportBundle = {
  version: 'v1.0.0'
  /** Hex of the UTF-8 JSON of {@link ExportBundleData}. */
  data: string
  /** ECDSA P-256 over SHA-256 of the decoded bytes of `data`, DER, hex. */
  dataSignature: string
  /** The signing key: uncompressed P-256 point, 130 hex digits. */
  enclaveQuorumPublic: string
}
/** Members are in this order. `encappedPublic`: 130 hex digits; `ciphertext`: hex. Other services omit the account. */
export type ExportBundleData = {
  encappedPublic: string
  ciphertext: string
  organizationId: string
} & Partial<BundleAccount>

/** Members are in this order. `targetPublic`: public key to which the secret is encrypted, 130 hex digits. */
export type ImportBundleData = { targetPublic: string; organizationId: string; userId: string } & Partial<BundleAccount>

/** Account that a bundle is for. Custody signs it, and a frame shows it to the user. */
export type BundleAccount = {
  userId: string
  /** Present only if the user has proven the address. */
  email?: string
  /** EIP-55 address of the exported account, or of the importing user's first account. */
  address?: string
}

/** The address of another user is refused. An empty `userEmail` removes the address. */
export type UpdateUserParameters = { userId: string; userName?: string; userEmail?: string }

export type CreateAuthenticatorsParameters = {
  userId: string
  authenticators: { attestation: Attestation; authenticatorName: string; challenge: string }[]
}
export type CreateAuthenticatorsResult = { authenticatorIds: string[] }
