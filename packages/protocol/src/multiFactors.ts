/** Second factors of users. Separate from the other tables of paths, since few pages load them. */

/** Calls of the key-custody service for a user's second factor. */
export const factorCustodyPaths = {
  list: '/public/v1/query/get_multi_factors',
  create: '/public/v1/submit/create_multi_factor',
  activate: '/public/v1/submit/activate_multi_factor',
  remove: '/public/v1/submit/delete_multi_factors',
} as const
export const factorActivityTypes = {
  create: 'ACTIVITY_TYPE_CREATE_MULTI_FACTOR',
  activate: 'ACTIVITY_TYPE_ACTIVATE_MULTI_FACTOR',
  remove: 'ACTIVITY_TYPE_DELETE_MULTI_FACTORS',
} as const

/** Signer API paths for second factors. */
export const factorPaths = {
  validate: '/v1/auth-validate-multi-factors',
  list: '/v1/auth-list-multi-factors',
  request: '/v1/auth-request-multi-factor',
  verify: '/v1/auth-verify-multi-factor',
  remove: '/v1/auth-delete-multi-factors',
} as const

/** Second factor of a user: an authenticator app (TOTP, RFC 6238). */
export type MultiFactor = {
  multiFactorId: string
  multiFactorType: 'totp'
  /** Number of unused recovery codes; only in lists for the signed-in user. */
  recoveryCodesLeft?: number
}

/** Code of a second factor: six digits of the authenticator app, or a recovery code. */
export type GivenMultiFactor = { multiFactorId: string; multiFactorCode: string }

/** Detail of the error `MFA_REQUIRED`. */
export type MultiFactorsDetail = { multiFactors: readonly MultiFactor[] }

/** Response to a first factor of a user who has a second one. The payload is sealed for the signer API. */
export type MfaRequiredResponse = {
  status: 'MFA_REQUIRED'
  encryptedPayload: string
  multiFactors: readonly MultiFactor[]
}
export type ValidateMultiFactorsRequest = { encryptedPayload: string; multiFactors: readonly GivenMultiFactor[] }
export type ValidateMultiFactorsResponse = {
  payload: { credentialBundle: string }
  multiFactors: readonly MultiFactor[]
}

/** Factor that its user has not yet proven. The URL contains the secret. */
export type NewMultiFactor = { multiFactorId: string; multiFactorType: 'totp'; multiFactorTotpUrl: string }
