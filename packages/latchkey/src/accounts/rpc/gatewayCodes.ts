import type { ErrorCode } from '../../wire/errorCodes.ts'

/** Codes of the closed list that a gateway answers with. Not the whole list, which no page should have to load. */
export const gatewayCodes: readonly ErrorCode[] = [
  'BODY_TOO_LARGE',
  'BUNDLER_UNREACHABLE',
  'DATABASE_BUSY',
  'DATABASE_UNREACHABLE',
  'ENTRY_POINT_NOT_FOUND',
  'INTERNAL',
  'METHOD_NOT_SUPPORTED',
  'MULTIPLIER_INVALID',
  'NODE_UNREACHABLE',
  'ORIGIN_NOT_ALLOWED',
  'PAYMASTER_DEPOSIT_LOW',
  'POLICY_NOT_FOUND',
  'POLICY_REFUSED',
  'RATE_LIMIT_EXCEEDED',
  'REQUEST_INVALID',
  'RESPONSE_INVALID',
  'TIMEOUT',
  'UNAUTHENTICATED',
]
