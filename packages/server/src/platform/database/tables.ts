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
  WalletSessionTable,
} from './gatewayTables.ts'
import type { MultiFactorTable } from './multiFactorTable.ts'
import type { OauthProviderTable } from './oauthProviderTable.ts'
import type {
  OperatorLogTable,
  OperatorRequestTable,
  OperatorSessionTable,
  OperatorTable,
  SecurityEventTable,
} from './operatorTables.ts'
import type { CredentialTable, OrganizationTable, RowMac, UserTable } from './organizationTables.ts'
import type { SigningSpendTable } from './signingSpendTable.ts'
import type { WebhookCursorTable, WebhookTable } from './webhookTables.ts'

type CreatedAt = Generated<Date>
type Json = JSONColumnType<Record<string, unknown>>

/** The tables of the schema, created by `migrations/`. */
export type Tables = {
  organizations: OrganizationTable
  users: UserTable
  credentials: CredentialTable
  oauth_providers: OauthProviderTable
  multi_factors: MultiFactorTable
  signing_spend: SigningSpendTable
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
  /** Written only by custody. */
  custody_limits: RateLimitTable
  /** Written only by the gateway. */
  gateway_limits: RateLimitTable
  /** Written only by the admin API. */
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
  wallet_sessions: WalletSessionTable
  operators: OperatorTable
  operator_log: OperatorLogTable
  operator_sessions: OperatorSessionTable
  operator_requests: OperatorRequestTable
  webhook_outbox: WebhookTable
  webhook_cursors: WebhookCursorTable
  devnet_clock: DevnetClockTable
}

/** A server process and its reported state. */
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
  /** Interval. */
  ahead: string
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
  /**
   * The derived private key with its address, stored so that it need not be derived from the entropy for each
   * signature.
   */
  sealed_key: Generated<Uint8Array>
  wrapped_key: Generated<Uint8Array>
  key_version: Generated<number>
  mac: RowMac
  created_at: CreatedAt
}

/** A key that was imported on its own. */
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

/** Private half of a key to which one secret may be sealed. */
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
  /** Number of votes that the activity needs; 1 if it runs immediately. */
  threshold: Generated<number>
  failure: JSONColumnType<Record<string, unknown>> | null
  /** Time at which a sensitive result is erased. */
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
  /** SHA-256 of the secret in the mail's link. */
  secret_hash: Uint8Array
  /** Details shown on the page. */
  details: Json
  expires_at: Date
  decided_at: Generated<Date | null>
  decision: Generated<'accept' | 'refuse' | 'end-sessions' | null>
  created_at: CreatedAt
  mac: Uint8Array
}

/** Authorizations of each activity, in a hash chain per organization. The database refuses changes of a row. */
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
  /** Exact bytes of the stamped request; empty once erased. */
  body: Uint8Array
  /** `<header name>: <value>`; empty once erased. */
  stamp: string
  /** Intent of a signature, as custody read it (see `toLoggedIntent`); empty if nothing was signed, or once erased. */
  intent: Generated<string>
  /**
   * Scheme of `hash` for the content: 1 covers a digest of the body and the stamp's text, 2 covers one salted digest of
   * both, 3 covers one salted digest of body, stamp and intent.
   */
  scheme: Generated<number>
  /** Null in scheme 1 and once erased. */
  salt: Uint8Array | null
  /** For an erased entry: the digest that `hash` covers instead of the content. */
  content_digest: Uint8Array | null
  logged_at: Date
  previous_hash: Uint8Array
  /** SHA-256 over the row and `previous_hash`. */
  hash: Uint8Array
}

/** Head of each organization's chain, under custody's MAC, which prevents truncating or rewriting the chain. */
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
  /** Session key in the mail; it is revoked if the mail cannot be sent. */
  credential_id: string | null
  template: string
  recipient: string
  /** Sealed for the mail role, erased once sent or failed. */
  payload_sealed: Uint8Array | null
  state: 'queued' | 'sent' | 'failed'
  tries: Generated<number>
  /** Earliest time of the next attempt: 30 s ahead while a replica tries to send it, later after a failure. */
  next_try_at: Generated<Date>
  expires_at: Date
  /** Short class of the failure, without addresses or links. */
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
  /** Parent organization of its users; null for the server's root organization. */
  organization_id: string | null
  /** https, shown in mails. */
  logo_url: string | null
  hides_accounts: Generated<boolean>
  created_at: CreatedAt
  updated_at: CreatedAt
}

/** Additional keys of a project. A null list allows everything the project may do. */
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

/** `key`: digest of the limit's key; `free_at`: time at which all tokens are available again. */
export type RateLimitTable = { key: string; free_at: Date }

/** Codes of sign-in mails. */
export type MailCodeTable = {
  id: string
  org_id: string
  user_id: string
  /** Session key in the same mail; it is revoked when the code is used. */
  credential_id: string | null
  /** Uncompressed P-256 point, hex: the only key to which a session may be sealed. */
  target_public_key: string
  session_seconds: number
  /** Custody's HMAC over the code and every other member except counters and budgets. */
  mac: Uint8Array
  attempts: Generated<number>
  /**
   * Digest of the requester, whose newer mails replace older ones. Null if only the target key identifies the
   * requester.
   */
  asker: string | null
  /** Length of the code; null in rows of the first release, whose codes have six digits. */
  digits: number | null
  /** Expiry of the mail's link; null in rows of the first release. */
  link_expires_at: Date | null
  expires_at: Date
  spent_at: Date | null
  created_at: CreatedAt
}

/** Digests of stamps of queries without a time. Deleted with their credential. */
export type QueryStampTable = { digest: Uint8Array; credential_id: string; first_at: Date }

/** Cancelled requests, whose mails are not sent. */
export type MailCancellationTable = { fingerprint: string; created_at: CreatedAt }

/** Secrets that custody generated for itself, wrapped by the key-encryption key. */
export type KeyMaterialTable = { name: string; wrapped: Uint8Array; created_at: CreatedAt }
