import type { KeyScope } from 'latchkey-protocol'

/** Passkey of the signed-in user. */
export type Authenticator = {
  id: string
  /** `passkey-{ms}` when created by this client. */
  name: string
  /** base64url. */
  credentialId: string
  createdAtMs: number
  /**
   * Time of the last use, rounded to an hour. Null if the passkey was used only in its first hour, or the service does
   * not report it.
   */
  lastUsedAtMs: number | null
  /** Provider such as 'Apple Passwords', as reported by the authenticator; null if unknown. */
  provider: string | null
  /** Whether the session in use was created with this passkey. */
  isCurrent: boolean
}

/** User's account at an identity provider. */
export type ConnectedProvider = {
  id: string
  /** Id of the provider in the project, such as `google`. */
  provider: string
  issuer: string
  /** The user's id at the provider. */
  subject: string
  createdAtMs: number
}

/** Key of a signed-in browser, which signs for the user until it expires. */
export type SessionKey = {
  id: string
  name: string
  createdAtMs: number
  /**
   * Time of the last use, rounded to an hour. Null if the key was used only in its first hour, or the service does not
   * report it.
   */
  lastUsedAtMs: number | null
  /** Null for a key that does not expire. */
  expiresAtMs: number | null
  /** Whether this is the key of the session in use. */
  isCurrent: boolean
  /** Scope of a program's key; undefined for session keys of browsers. */
  scope?: KeyScope | undefined
}
