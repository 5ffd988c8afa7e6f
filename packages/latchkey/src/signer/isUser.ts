import { isAddress } from 'viem'
import { isText } from './isText.ts'
import type { User } from './types.ts'

/** Whether a value read from the network or from storage is a user. */
export function isUser(value: unknown): value is User {
  if (typeof value !== 'object' || value === null) return false
  const user = value as Partial<Record<keyof User, unknown>>
  return (
    isText(user.orgId) &&
    isText(user.userId) &&
    typeof user.address === 'string' &&
    isAddress(user.address, { strict: false }) &&
    (user.email === undefined || typeof user.email === 'string') &&
    (user.credentialId === undefined || typeof user.credentialId === 'string')
  )
}
