import type { Generated } from 'kysely'

/** Identity of an OpenID Connect provider by which a user signs in. */
export type OauthProviderTable = {
  id: string
  user_id: string
  org_id: string
  parent_org_id: string
  name: string
  issuer: string
  audience: string
  subject: string
  revoked_at: Date | null
  created_at: Generated<Date>
  /** Custody's HMAC over the fields it trusts. */
  mac: Uint8Array
}
