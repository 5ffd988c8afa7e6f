import type { ColumnType, Generated, JSONColumnType } from 'kysely'

type CreatedAt = Generated<Date>
type Json = JSONColumnType<Record<string, unknown>>

/** The tables of the one schema; `migrations/` builds them. */
export type Tables = {
  organizations: OrganizationTable
  users: UserTable
  credentials: CredentialTable
  wallets: WalletTable
  wallet_accounts: WalletAccountTable
  activities: ActivityTable
  mail_outbox: MailOutboxTable
  projects: ProjectTable
  sponsorships: SponsorshipTable
  key_material: KeyMaterialTable
}

export type OrganizationTable = { id: string; parent_id: string | null; name: string; created_at: CreatedAt }

export type UserTable = {
  id: string
  org_id: string
  /** Parent of `org_id`, repeated here because an e-mail is unique within a parent. */
  parent_org_id: string | null
  name: string
  email: string | null
  /** First time the user proved the e-mail by using a session key that only the mail held. */
  email_verified_at: Date | null
  created_at: CreatedAt
}

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
  counter: ColumnType<string, string | number | undefined, string | number>
  /** True for a session key made by e-mail authentication. */
  email_session: Generated<boolean>
  expires_at: Date | null
  revoked_at: Date | null
  /** HMAC by custody over the row's identity, so that a database writer cannot add a credential. */
  mac: Uint8Array
  created_at: CreatedAt
}

export type WalletTable = {
  id: string
  org_id: string
  name: string
  sealed_entropy: Uint8Array
  wrapped_key: Uint8Array
  key_version: number
  exported_at: Date | null
  created_at: CreatedAt
}

export type WalletAccountTable = {
  id: string
  wallet_id: string
  org_id: string
  path: string
  /** EIP-55. */
  address: string
  /** Compressed SEC1 hex. */
  public_key: string
  created_at: CreatedAt
}

export type ActivityTable = {
  id: string
  org_id: string
  fingerprint: string
  type: string
  status: string
  intent: Json
  result: Json
  /** Exact text of the stamped request. */
  body: string
  /** `<header name>: <value>`. */
  stamp: string
  user_id: string
  credential_id: string
  created_at: CreatedAt
  updated_at: CreatedAt
}

export type MailOutboxTable = {
  id: string
  activity_id: string
  org_id: string
  user_id: string
  /** The session key the mail carries; revoked when the mail cannot be sent. */
  credential_id: string | null
  template: string
  recipient: string
  /** Sealed for the mail role, erased once sent or failed. */
  payload_sealed: Uint8Array | null
  state: 'queued' | 'sent' | 'failed'
  tries: Generated<number>
  claimed_until: Date | null
  expires_at: Date
  /** Short class of the failure, never an address or a link. */
  failure: string | null
  created_at: CreatedAt
  updated_at: CreatedAt
}

export type ProjectTable = {
  id: string
  name: string
  api_key_hash: Uint8Array
  redirect_urls: string[]
  allowed_origins: string[]
  created_at: CreatedAt
  updated_at: CreatedAt
}

export type SponsorshipTable = {
  id: string
  project_id: string
  policy_id: string
  chain_id: ColumnType<string, string | number, string | number>
  entry_point: string
  sender: string
  nonce: string
  user_op_hash: string | null
  /** Highest cost in wei, decimal text. */
  max_cost: ColumnType<string, string | bigint, string | bigint>
  state: string
  valid_until: Date
  created_at: CreatedAt
}

/** Secrets custody made for itself, wrapped by the key-encryption key. */
export type KeyMaterialTable = { name: string; wrapped: Uint8Array; created_at: CreatedAt }
