import type { User } from '../types.ts'

/** Stored session. The members are in the documented order. */
export type Session = (
  | {
      type: 'email'
      user: User
      /** Credential bundle, encrypted to the frame's key. */
      bundle: string
      expirationDateMs: number
    }
  | {
      type: 'passkey'
      user: User
      expirationDateMs: number
    }
) & {
  /** Compressed public key of the device key, in hex. Only in `device` sessions. */
  deviceKey?: string | undefined
}

/** Stored data of a requested e-mail. */
export type TemporarySession = {
  orgId: string
  /** Recipient of the e-mail. */
  email?: string | undefined
  /** Expiration time of the e-mail, in milliseconds since 1970. */
  endsMs?: number | undefined
  /** Id of the e-mail's code, if the service sends one. */
  otpId?: string | undefined
  /** Number of digits of the e-mail's code. */
  otpLength?: number | undefined
  /** Id of the previous e-mail's code, which the user may still type. */
  olderOtpId?: string | undefined
  /** Whether the e-mail signs up a new user. Later clients of this protocol use the same name. */
  isNewUser?: boolean | undefined
  /** Whether link and code work only in the tab that requested the e-mail, because only its frame has the key. */
  isTabOnly?: boolean | undefined
}

/** Checks whether two sessions have the same credential. Ignores their expiration times. */
export function isSameSession(a: Session | null, b: Session | null): boolean {
  if (!a || !b) return a === b
  if (a.deviceKey !== b.deviceKey) return false
  if (a.type === 'email' && b.type === 'email') return a.bundle === b.bundle
  if (a.type !== b.type) return false
  return a.user.orgId === b.user.orgId && a.user.userId === b.user.userId
}
