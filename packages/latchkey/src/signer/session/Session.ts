import type { User } from '../types.ts'

/** What is stored of a sign-in. Member order is the documented one. */
export type Session = (
  | {
      type: 'email'
      user: User
      /** Credential bundle: useless without the frame's own key. */
      bundle: string
      expirationDateMs: number
    }
  | {
      type: 'passkey'
      user: User
      expirationDateMs: number
    }
) & {
  /** Sessions of the kind `device` only: compressed public key of the key that signs, hex. */
  deviceKey?: string | undefined
}

/** What is kept of a requested mail. */
export type TemporarySession = {
  orgId: string
  /** Where it was sent to. */
  email?: string | undefined
  /** When it can no longer be used, in milliseconds since 1970. */
  endsMs?: number | undefined
  /** Names the code the mail carries, where the service sends one. */
  otpId?: string | undefined
  /** Digits of that code. */
  otpLength?: number | undefined
  /** Names the code of the mail before it, which a person may still type. */
  olderOtpId?: string | undefined
  /** Whether it signs a new person up. Later clients of the wire use the same name. */
  isNewUser?: boolean | undefined
  /** Whether link and code open only in the tab that asked: its frame's key is nowhere else. */
  isTabOnly?: boolean | undefined
}

/** Whether two sessions rest on the same credential, with any expiry. */
export function isSameSession(a: Session | null, b: Session | null): boolean {
  if (!a || !b) return a === b
  if (a.deviceKey !== b.deviceKey) return false
  if (a.type === 'email' && b.type === 'email') return a.bundle === b.bundle
  if (a.type !== b.type) return false
  return a.user.orgId === b.user.orgId && a.user.userId === b.user.userId
}
