import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Selectable } from 'kysely'
import type { Tables } from '../platform/database/tables.ts'
import type { CustodyContext } from './deps.ts'

/** Marks a column that is under the MAC. */
const covered = true
/** Marks a column that is under the MAC unless it is null, as in rows older than the column. */
const coveredWhereSet = false

/**
 * Columns that custody's MAC covers, by table. They prevent an attacker with only database write access from forging a
 * row or changing its effect. Every other column states why it is not covered, and every table without a MAC states its
 * other protection. A new column or table does not compile without an entry here. The MAC covers the columns in this
 * order.
 */
export const macs = {
  organizations: {
    id: covered,
    parent_id: covered,
    root_quorum_threshold: covered,
    deleted_at: covered,
    frozen_at: coveredWhereSet,
    spending_rules: coveredWhereSet,
    name: 'shown to people, decides nothing',
    destroyed_at: 'set from outside it only keeps sealed keys that no request reaches',
    created_at: 'orders lists only',
  },
  users: {
    id: covered,
    org_id: covered,
    parent_org_id: covered,
    email: covered,
    email_verified_at: covered,
    email_claimed: covered,
    // Without it, deleting the factor's row would be enough to sign in without the factor.
    factor_since: coveredWhereSet,
    name: 'shown to people, decides nothing',
    created_at: 'orders lists only',
  },
  credentials: {
    id: covered,
    user_id: covered,
    org_id: covered,
    kind: covered,
    type: covered,
    public_key: covered,
    credential_id: covered,
    rp_id: covered,
    email_session: covered,
    authenticated_at: covered,
    expires_at: covered,
    revoked_at: covered,
    created_at: covered,
    counter: covered,
    confirmed_at: coveredWhereSet,
    scope: coveredWhereSet,
    name: 'shown to people, decides nothing',
    transports: 'a hint for the browser, decides nothing',
    aaguid: 'the model an authenticator claims to be, unproven and decides nothing',
    last_used_at: 'shown to people, decides nothing',
  },
  oauth_providers: {
    id: covered,
    user_id: covered,
    org_id: covered,
    parent_org_id: covered,
    issuer: covered,
    audience: covered,
    subject: covered,
    revoked_at: covered,
    name: 'shown to people, decides nothing',
    created_at: 'orders lists only',
  },
  multi_factors: {
    id: covered,
    user_id: covered,
    org_id: covered,
    last_step: covered,
    recovery_codes: covered,
    activated_at: covered,
    sealed_key: 'sealed, bound to row and organization',
    wrapped_key: 'bound to row and organization; rewrapped when the key-encryption key changes',
    key_version: 'bound to the sealed key',
    created_at: 'orders lists only',
  },
  wallet_accounts: {
    id: covered,
    org_id: covered,
    wallet_id: covered,
    path: covered,
    address: covered,
    public_key: covered,
    name: 'shown to people, decides nothing',
    sealed_key: 'sealed together with its address, bound to row and organization',
    wrapped_key: 'bound to row and organization; rewrapped when the key-encryption key changes',
    key_version: 'bound to the sealed key',
    created_at: 'orders lists only',
  },
  private_keys: {
    id: covered,
    org_id: covered,
    address: covered,
    public_key: covered,
    name: 'shown to people, decides nothing',
    sealed_key: 'sealed, bound to row and organization; its address is checked when it is opened',
    wrapped_key: 'bound to row and organization; rewrapped when the key-encryption key changes',
    key_version: 'bound to the sealed key',
    exported_at: 'shown to people, decides nothing',
    created_at: 'orders lists only',
  },
  activities: {
    id: covered,
    org_id: covered,
    fingerprint: covered,
    type: covered,
    status: covered,
    user_id: covered,
    credential_id: covered,
    threshold: covered,
    intent: covered,
    result: covered,
    failure: covered,
    result_expires_at: covered,
    created_at: covered,
    updated_at: covered,
  },
  activity_votes: {
    id: covered,
    activity_id: covered,
    // Fingerprint of the activity that the voter saw and stamped.
    fingerprint: covered,
    user_id: covered,
    selection: covered,
    public_key: 'reported with the vote; the log keeps the stamp that was verified',
    signature: 'reported with the vote; the log keeps the stamp that was verified',
    scheme: 'reported with the vote; the log keeps the stamp that was verified',
    created_at: 'orders lists only',
  },
  confirmations: {
    id: covered,
    kind: covered,
    activity_id: covered,
    org_id: covered,
    user_id: covered,
    // Only the email contains the secret itself, so reading the table does not help to confirm.
    secret_hash: covered,
    details: covered,
    expires_at: covered,
    decided_at: 'written by the database; an activity is executed once, under its own MAC',
    decision: 'written by the database; what it ends stays ended under other MACs',
    created_at: 'orders lists only',
  },
  activity_log_heads: {
    org_id: covered,
    seq: covered,
    hash: covered,
  },
  mail_codes: {
    id: covered,
    org_id: covered,
    user_id: covered,
    credential_id: covered,
    target_public_key: covered,
    session_seconds: covered,
    expires_at: covered,
    // Digits are not stored, so reading the table does not help to guess them.
    code: covered,
    attempts: 'counted by the database; each process keeps a count of its own as well',
    asker: 'whose mails take the place of each other, authorizes none',
    link_expires_at: 'prolongs at most a link whose session key, under its own MAC, has not ended',
    digits: 'names the budget of the code; its length is that of the code under the MAC',
    spent_at: 'written by the database; reusing a code takes its credential, which is revoked under its own MAC',
    created_at: 'orders lists only',
  },
  wallets: 'entropy is sealed and bound to row and organization; the rest is shown to people',
  import_targets: 'the private key is sealed and bound to row and organization',
  activity_log: 'a chain of hashes whose end is in activity_log_heads; a trigger refuses changes',
  key_material: 'wrapped by the key-encryption key and bound to its name',
  mail_outbox: 'the payload is sealed for the mail role and bound to row and recipient',
  mail_cancellations: 'can only prevent a mail',
  rate_limits: 'limits requests, authorizes none',
  custody_limits: 'limits requests, authorizes none',
  signing_spend: 'only adds reviews; emptied, it lets one more day of a limit be signed',
  query_stamps: 'shortens the life of stamps, authorizes none',
  gateway_limits: 'limits requests, authorizes none',
  admin_limits: 'limits requests, authorizes none',
  operators: 'of the admin API, under a key of its own (`store/operators.ts`); custody does not read it',
  operator_requests: 'of the admin API; custody believes the stamps that it passes on, not the table',
  operator_sessions: 'of the admin API, under the same key (`store/operatorSessions.ts`); custody does not read it',
  operator_log: 'of the admin API, a chain under the same key; custody does not read it',
  api_keys: 'of the gateway and the signer API; custody does not read it',
  projects: 'custody trusts the projects of its configuration only',
  sponsorships: 'belongs to the gateway; custody does not read it',
  gas_policies: 'belongs to the gateway; custody does not read it',
  reservations: 'belongs to the gateway; custody does not read it',
  policy_spend: 'belongs to the gateway; custody does not read it',
  operations: 'belongs to the gateway; custody does not read it',
  operation_events: 'belongs to the gateway; custody does not read it',
  chain_cursors: 'belongs to the gateway; custody does not read it',
  refusals: 'belongs to the gateway; custody does not read it',
  chain_states: 'belongs to the gateway; custody does not read it',
  security_events: 'each role says what it noted; nothing is decided by it',
  server_copies: 'each copy says how it is; nothing is decided by it',
  webhook_outbox: 'custody only adds to it; what it says is for receivers, who read what they act on',
  webhook_cursors: 'belongs to the webhooks role; custody does not read it',
  devnet_clock: 'of devnets; in production custody has the time of its machine',
  wallet_sessions: 'belongs to the gateway; an account accepts a session only with its owner’s signature',
  smart_accounts: 'belongs to the gateway, which has each address computed again; custody does not read it',
} satisfies { [table in keyof Tables]: Coverage<table> }

/** Covered values that the row itself does not contain. */
type Extra = { activity_votes: { fingerprint: string }; mail_codes: { code: string } }
type Values<table extends keyof Tables> = Omit<Selectable<Tables[table]>, 'mac'> &
  (table extends keyof Extra ? Extra[table] : unknown)
type Columns<table extends keyof Tables> = Record<keyof Values<table>, Mark | string>
type Mark = typeof covered | typeof coveredWhereSet
type Coverage<table extends keyof Tables> = 'mac' extends keyof Tables[table] ? Columns<table> : string

type Macs = typeof macs
/** A table whose rows carry a MAC. */
export type MacKind = { [table in keyof Macs]: Macs[table] extends string ? never : table }[keyof Macs]
type CoveredColumn<kind extends MacKind> = {
  [column in keyof Values<kind>]: column extends keyof Macs[kind]
    ? Macs[kind][column] extends Mark
      ? column
      : never
    : never
}[keyof Values<kind>]
/** The covered columns of a row. */
export type Covered<kind extends MacKind> = Pick<Values<kind>, CoveredColumn<kind>>

/**
 * Computes HMAC-SHA-256 over the covered columns of a row. The MAC also covers the table's name, so that a row of one
 * table is invalid in another.
 */
export function mac<kind extends MacKind>(macKey: Uint8Array, kind: kind, row: Covered<kind>): Uint8Array {
  return macRow(macKey, kind, row)
}

/** Computes the {@link mac} of a row of any table as the database returns it, for copies of whole tables. */
export function macRow(macKey: Uint8Array, kind: MacKind, values: Readonly<Record<string, unknown>>): Uint8Array {
  const members = Object.entries<Mark | string>(macs[kind]).flatMap(([column, coverage]) => {
    const value = values[column]
    if (coverage === covered) return [encode(value)]
    return coverage === coveredWhereSet && value !== null && value !== undefined ? [[column, encode(value)]] : []
  })
  return createHmac('sha256', macKey)
    .update(JSON.stringify([kind, ...members]), 'utf8')
    .digest()
}

/** Returns whether custody wrote the row, in constant time. */
export function isGenuine<kind extends MacKind>(
  macKey: Uint8Array,
  kind: kind,
  row: Covered<kind> & { mac: Uint8Array },
): boolean {
  const expected = mac(macKey, kind, row)
  return expected.length === row.mac.length && timingSafeEqual(expected, row.mac)
}

/** Names of skipped rows in log lines. */
const logged = {
  organizations: { id: 'orgId', name: 'An organization' },
  users: { id: 'userId', name: 'A user' },
  credentials: { id: 'credentialId', name: 'A credential' },
  oauth_providers: { id: 'providerId', name: 'A provider' },
  multi_factors: { id: 'multiFactorId', name: 'A second factor' },
  wallet_accounts: { id: 'accountId', name: 'An account' },
  private_keys: { id: 'privateKeyId', name: 'A private key' },
} satisfies { [kind in MacKind]?: object }

/**
 * Applies {@link isGenuine} to rows as they are read. Rows that custody did not write are logged and treated as absent.
 */
export function isTrusted<kind extends keyof typeof logged>(
  { macKey, logger }: Pick<CustodyContext, 'macKey' | 'logger'>,
  kind: kind,
  row: Covered<kind> & { id: string; mac: Uint8Array },
): boolean {
  if (isGenuine(macKey, kind, row)) return true
  logger.error({ [logged[kind].id]: row.id }, `${logged[kind].name} was not written by custody and is ignored`)
  return false
}

/** Encodes bytes as hex and everything else as JSON does, with dates as ISO 8601. */
function encode(value: unknown): unknown {
  return value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value
}
