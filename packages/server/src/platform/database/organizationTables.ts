import type { ColumnType, Generated } from 'kysely'

type CreatedAt = Generated<Date>
/**
 * Custody's HMAC over the fields that it trusts, so that write access to the database is not enough to create or change
 * a row.
 */
export type RowMac = Generated<Uint8Array>

export type OrganizationTable = {
  id: string
  parent_id: string | null
  name: string
  /** Number of its users' votes that an activity needs. */
  root_quorum_threshold: Generated<number>
  /** Time at which the keys are destroyed. Until then, users can cancel the deletion. */
  deleted_at: Date | null
  destroyed_at: Generated<Date | null>
  /**
   * Time at which an operator froze the organization; null if it is not frozen. A frozen organization refuses
   * everything.
   */
  frozen_at: Generated<Date | null>
  /** Canonical JSON of the `SpendingRules`; null without rules. */
  spending_rules: Generated<string | null>
  mac: RowMac
  created_at: CreatedAt
}

export type UserTable = {
  id: string
  org_id: string
  /** Parent of `org_id`, repeated here because an e-mail is unique within a parent. */
  parent_org_id: string | null
  name: string
  email: string | null
  /** Time at which the user first proved the e-mail by using a session key that was only sent in a mail. */
  email_verified_at: Date | null
  /** Whether the user entered the address but has not proven it. */
  email_claimed: Generated<boolean>
  /** Time since which sign-ins need the second factor; null without one. */
  factor_since: Generated<Date | null>
  mac: RowMac
  created_at: CreatedAt
}

export type CredentialType =
  | 'CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR'
  | 'CREDENTIAL_TYPE_API_KEY_P256'
  | 'CREDENTIAL_TYPE_API_KEY_SECP256K1'
  | 'CREDENTIAL_TYPE_EMAIL_AUTH_KEY_P256'
  | 'CREDENTIAL_TYPE_OTP_AUTH_KEY_P256'
  | 'CREDENTIAL_TYPE_READ_WRITE_SESSION_KEY_P256'
  | 'CREDENTIAL_TYPE_LOGIN'
  | 'CREDENTIAL_TYPE_OAUTH_KEY_P256'

export type CredentialTable = {
  id: string
  user_id: string
  org_id: string
  kind: 'api_key' | 'passkey'
  name: string
  /** Compressed SEC1 hex for API keys, COSE hex for passkeys. */
  public_key: string
  /** base64url raw id of a passkey. */
  credential_id: string | null
  rp_id: string | null
  transports: string[] | null
  /** Model that a passkey's authenticator claims to be; unproven. */
  aaguid: string | null
  counter: ColumnType<string, string | number | undefined, string | number>
  /** Canonical JSON of an API key's `KeyScope`; null for others. */
  scope: Generated<string | null>
  /** Time at which the user confirmed a new passkey by email; null for others and for API keys. */
  confirmed_at: Generated<Date | null>
  /** Whether e-mail authentication created this session key. */
  email_session: Generated<boolean>
  type: Generated<CredentialType>
  /**
   * Last time that a session key's user was proven present. A session created by another session inherits this time.
   */
  authenticated_at: Date | null
  expires_at: Date | null
  /** Accurate to an hour. Null if the credential was used only in its first hour. */
  last_used_at: Generated<Date | null>
  /** Revoked credentials are kept as evidence of what they authorized, and can never be added again. */
  revoked_at: Date | null
  mac: RowMac
  created_at: CreatedAt
}
