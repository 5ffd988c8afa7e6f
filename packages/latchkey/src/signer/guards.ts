import type { Address } from 'viem'
import type { User } from './types.ts'

// Type guards for values from the network, from storage, from a frame or from the app.

export function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

/** Checks the number of digits of an e-mailed code: at least 4, the shortest code of any service, and at most 32. */
export function isCodeLength(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 4 && value <= 32
}

export function isUser(value: unknown): value is User {
  if (typeof value !== 'object' || value === null) return false
  const user = value as Partial<Record<keyof User, unknown>>
  return (
    isText(user.orgId) &&
    isText(user.userId) &&
    isAddress(user.address) &&
    (user.email === undefined || typeof user.email === 'string') &&
    (user.credentialId === undefined || typeof user.credentialId === 'string')
  )
}

/**
 * Checks for 20 bytes in hex. Ignores the checksum, which protects only addresses that users type. Does not use viem,
 * which is not in the first load.
 */
export function isAddress(value: unknown): value is Address {
  return typeof value === 'string' && /^0x[0-9a-f]{40}$/i.test(value)
}
