import type { ColumnType, Generated, JSONColumnType } from 'kysely'
import type {
  ChainCursorTable,
  ChainStateTable,
  GasPolicyTable,
  OperationEventTable,
  OperationTable,
  PolicySpendTable,
  RefusalTable,
  ReservationTable,
  SmartAccountTable,
  SponsorshipTable,
} from './gatewayTables.ts'
import type {
  OperatorLogTable,
  OperatorRequestTable,
  OperatorSessionTable,
  OperatorTable,
  SecurityEventTable,
} from './operatorTables.ts'
import type { WebhookCursorTable, WebhookTable } from './webhookTables.ts'

type CreatedAt = Generated<Date>
/** HMAC by custody over what it trusts in the row: write access to the database is not enough to make or change one. */
type RowMac = Generated<Uint8Array>
type Json = JSONColumnType<Record<string, unknown>>

/** The tables of the one schema; `migrations/` builds them. */
export type Tables = {
  organizations: OrganizationTable
  users: UserTable
  credentials: CredentialTable
  wallets: WalletTable
  wallet_accounts: WalletAccountTable
  private_keys: PrivateKeyTable
  import_targets: ImportTargetTable
  activities: ActivityTable
  activity_votes: ActivityVoteTable
  confirmations: ConfirmationTable
  activity_log: ActivityLogTable
  activity_log_heads: ActivityLogHeadTable
  mail_outbox: MailOutboxTable
  mail_cancellations: MailCancellationTable
  query_stamps: QueryStampTable
  mail_codes: MailCodeTable
  rate_limits: RateLimitTable
  /** Custody's own, which no other role writes. */
  custody_limits: RateLimitTable
  /** The gateway's own. */
  gateway_limits: RateLimitTable
  /** The admin API's own. */
  admin_limits: RateLimitTable
  projects: ProjectTable
  api_keys: ApiKeyTable
  sponsorships: SponsorshipTable
  gas_policies: GasPolicyTable
  reservations: ReservationTable
  policy_spend: PolicySpendTable
  key_material: KeyMaterialTable
  operations: OperationTable
  operation_events: OperationEventTable
  chain_cursors: ChainCursorTable
  refusals: RefusalTable
  chain_states: ChainStateTable
  server_copies: ServerCopyTable
  security_events: SecurityEventTable
  smart_accounts: SmartAccountTable
  operators: OperatorTable
  operator_log: OperatorLogTable
  operator_sessions: OperatorSessionTable
  operator_requests: OperatorRequestTable
  webhook_outbox: WebhookTable
  webhook_cursors: WebhookCursorTable
  devnet_clock: DevnetClockTable
}

/** A process of the server and what it says of itself. */
export type ServerCopyTable = {
  id: string
  roles: string[]
  version: string
  state: ColumnType<unknown, string, string>
  started_at: Generated<Date>
  seen_at: Generated<Date>
}

export type DevnetClockTable = {
  id: Generated<boolean>
  /** An interval. */
  ahead: string
}

export type OrganizationTable = {
  id: string
  parent_id: string | null
  name: string
  /** Votes of its users that an activity needs. */
  root_quorum_threshold: Generated<number>
  /** When its keys are destroyed; until then its users can cancel the deletion. */
  deleted_at: Date | null
  destroyed_at: Generated<Date | null>
  /** Until an operator lifts it, nothing can be done with it. */
  frozen_at: Generated<Date | null>
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
  /** First time the user proved the e-mail by using a session key that only the mail held. */
  email_verified_at: Date | null
  /** The user named the address themselves and has not proven it. */
  email_claimed: Generated<boolean>
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
  /** Of a passkey: the model its authenticator claims to be, which is not proven. */
  aaguid: string | null
  counter: ColumnType<string, string | number | undefined, string | number>
  /** True for a session key made by e-mail authentication. */
  email_session: Generated<boolean>
  type: Generated<CredentialType>
  /** When the user of a session key last proved to be present; a session made by another inherits its time. */
  authenticated_at: Date | null
  expires_at: Date | null
  /** To within an hour. Null where it was used in its first hour only. */
  last_used_at: Generated<Date | null>
  /** A revoked credential stays, so that what it authorised can be shown and it can never be added again. */
  revoked_at: Date | null
  mac: RowMac
  created_at: CreatedAt
}

export type WalletTable = {
  id: string
  org_id: string
  name: string
  sealed_entropy: Uint8Array
  wrapped_key: Uint8Array
  key_version: number
  imported: Generated<boolean>
  exported_at: Date | null
  created_at: CreatedAt
}

export type WalletAccountTable = {
  id: string
  wallet_id: string
  org_id: string
  name: string | null
  path: string
  /** EIP-55. */
  address: string
  /** Compressed SEC1 hex. */
  public_key: string
  /** The derived private key with its address, so that signing need not derive it from the entropy each time. */
  sealed_key: Generated<Uint8Array>
  wrapped_key: Generated<Uint8Array>
  key_version: Generated<number>
  mac: RowMac
  created_at: CreatedAt
}

/** A key that was imported by itself. */
export type PrivateKeyTable = {
  id: string
  org_id: string
  name: string
  sealed_key: Uint8Array
  wrapped_key: Uint8Array
  key_version: number
  /** EIP-55. */
  address: string
  /** Compressed SEC1 hex. */
  public_key: string
  exported_at: Date | null
  mac: RowMac
  created_at: CreatedAt
}

/** Private half of a key that a secret may be sealed to, once. */
export type ImportTargetTable = {
  id: string
  org_id: string
  user_id: string
  kind: 'wallet' | 'private_key'
  sealed_key: Uint8Array
  wrapped_key: Uint8Array
  key_version: number
  expires_at: Date
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
  user_id: string
  credential_id: string
  /** Votes it needs or needed; 1 for one that runs at once. */
  threshold: Generated<number>
  failure: JSONColumnType<Record<string, unknown>> | null
  /** When a result that must not be kept is erased. */
  result_expires_at: Date | null
  mac: RowMac
  created_at: CreatedAt
  updated_at: CreatedAt
}

export type ActivityVoteTable = {
  id: string
  activity_id: string
  user_id: string
  selection: 'VOTE_SELECTION_APPROVED' | 'VOTE_SELECTION_REJECTED'
  public_key: string
  signature: string
  scheme: string
  created_at: Date
  mac: Uint8Array
}

export type ConfirmationTable = {
  id: string
  kind: 'confirm' | 'prove' | 'undo' | 'keep'
  activity_id: string
  org_id: string
  user_id: string
  /** SHA-256 of the secret that the mail's link holds. */
  secret_hash: Uint8Array
  /** What the page shows. */
  details: Json
  expires_at: Date
  decided_at: Generated<Date | null>
  decision: Generated<'accept' | 'refuse' | 'end-sessions' | null>
  created_at: CreatedAt
  mac: Uint8Array
}

/** What authorised each activity, in a chain of hashes for each organization. The database refuses changes of a row. */
export type ActivityLogTable = {
  org_id: string
  /** 1, 2, 3, … within the organization. */
  seq: ColumnType<string, string | number, never>
  activity_id: string
  user_id: string
  credential_id: string
  credential_public_key: string
  type: string
  status: string
  /** Exact bytes of the stamped request; empty when it was erased. */
  body: Uint8Array
  /** `<header name>: <value>`; empty when it was erased. */
  stamp: string
  /** How `hash` holds body and stamp: 1 as their digest and text, 2 as one salted digest. */
  scheme: Generated<number>
  /** Null in scheme 1, and when it was erased. */
  salt: Uint8Array | null
  /** Of an erased entry: what `hash` holds in the place of what was erased. */
  content_digest: Uint8Array | null
  logged_at: Date
  previous_hash: Uint8Array
  /** SHA-256 over all of the row and `previous_hash`. */
  hash: Uint8Array
}

/** End of each organization's chain, under custody's MAC: a chain cannot be cut or rewritten. */
export type ActivityLogHeadTable = {
  org_id: string
  seq: ColumnType<string, string | number, string | number>
  hash: Uint8Array
  mac: Uint8Array
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
  /** When it may be tried: 30 s ahead while a copy tries it, later after a failure. */
  next_try_at: Generated<Date>
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
  /** Parent organization of its users; null: the server's root organization. */
  organization_id: string | null
  /** https, shown in mails. */
  logo_url: string | null
  hides_accounts: Generated<boolean>
  created_at: CreatedAt
  updated_at: CreatedAt
}

/** Further keys of a project. A list that is null allows what the project may. */
export type ApiKeyTable = {
  id: string
  project_id: string
  name: string
  key_hash: Uint8Array
  key_start: string
  chains: ColumnType<string[] | null, readonly number[] | null | undefined, readonly number[] | null>
  origins: string[] | null
  methods: string[] | null
  requests_per_minute: number | null
  units_per_minute: number | null
  revoked_at: Date | null
  created_at: CreatedAt
  updated_at: CreatedAt
}

/** `key`: digest; `free_at`: when all tokens are there again. */
export type RateLimitTable = { key: string; free_at: Date }

/** Codes of sign-in mails. */
export type MailCodeTable = {
  id: string
  org_id: string
  user_id: string
  /** The session key the same mail carries; revoked when the code is used. */
  credential_id: string | null
  /** Uncompressed P-256 point, hex: the only key a session may be sealed to. */
  target_public_key: string
  session_seconds: number
  /** HMAC by custody over the code and every other member but the counters and what belongs to budgets. */
  mac: Uint8Array
  attempts: Generated<number>
  /** Who asked for the mail, as a digest: their mails take the place of each other. Null: known by the target key only. */
  asker: string | null
  /** Length of the code; null in rows of the first release, whose codes have six digits. */
  digits: number | null
  /** When the link of the mail can no longer be opened; null in rows of the first release. */
  link_expires_at: Date | null
  expires_at: Date
  spent_at: Date | null
  created_at: CreatedAt
}

/** Stamps of queries that name no time, by digest, until their credential is deleted. */
export type QueryStampTable = { digest: Uint8Array; credential_id: string; first_at: Date }

/** Cancelled requests: their mails are not sent. */
export type MailCancellationTable = { fingerprint: string; created_at: CreatedAt }

/** Secrets custody made for itself, wrapped by the key-encryption key. */
export type KeyMaterialTable = { name: string; wrapped: Uint8Array; created_at: CreatedAt }
