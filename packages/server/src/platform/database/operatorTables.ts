import type { Generated } from 'kysely'
import type { OperatorRole } from 'latchkey-protocol/admin'

/** A key of an operator. `row_mac`: see `operators.ts`. */
export type OperatorTable = {
  id: string
  name: string
  role: OperatorRole
  /** SHA-256 of the whole key. */
  secret_hash: Uint8Array
  created_at: Date
  expires_at: Date | null
  removed_at: Date | null
  row_mac: Uint8Array
}

/** A session of an operator who signed in by passkey. `row_mac`: see `operatorSessions.ts`. */
export type OperatorSessionTable = {
  id: string
  operator_id: string
  /** SHA-256 of the whole key. */
  secret_hash: Uint8Array
  /** SHA-256 of the signed challenge. A challenge allows only one sign-in. */
  challenge_hash: Uint8Array
  created_at: Date
  expires_at: Date
  seen_at: Date
  row_mac: Uint8Array
}

/**
 * A deletion that one operator requested and a second operator must confirm. Custody trusts only the operators' stamps.
 */
export type OperatorRequestTable = {
  id: string
  org_id: string
  operator_id: string
  body: string
  stamp: string
  created_at: Date
}

/** An operator's action or refused attempt. Rows are only added. `row_mac`: see `operatorLog.ts`. */
export type OperatorLogTable = {
  seq: string
  at: Date
  operator_id: string
  operator_name: string
  role: string
  /** Name of the call, such as `policy.update`. */
  action: string
  project_id: string | null
  /** Id of the action's target. */
  target: string | null
  outcome: 'done' | 'refused'
  /** Error code of a refusal. */
  code: string | null
  before_digest: string | null
  after_digest: string | null
  request_id: string | null
  row_mac: Uint8Array
}

/** Security events of a process, see `store/securityEventRows.ts`. */
export type SecurityEventTable = {
  id: Generated<string>
  at: Generated<Date>
  roles: string[]
  event: string
  code: string | null
  path: string | null
  organization_id: string | null
  user_id: string | null
  request_id: string | null
  count: string
}
