import type { Generated } from 'kysely'

/** Second factor of a user: a TOTP secret (RFC 6238) and codes that replace it once each. */
export type MultiFactorTable = {
  id: string
  user_id: string
  org_id: string
  sealed_key: Uint8Array
  wrapped_key: Uint8Array
  key_version: number
  /** Last time step whose code was accepted, in units of 30 seconds since 1970; null before the first code. */
  last_step: number | null
  /** HMACs of the unused recovery codes under the secret, hex. */
  recovery_codes: string[]
  /** Null until its user has proven a code. */
  activated_at: Date | null
  created_at: Generated<Date>
  /** Custody's HMAC over the fields it trusts. */
  mac: Uint8Array
}
