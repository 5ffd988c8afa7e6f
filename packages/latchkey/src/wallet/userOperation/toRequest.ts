import { numberToHex } from 'viem'
import type { UserOperationRequest } from '../client/types.ts'
import type { SettledDraft } from './resolveDraft.ts'

/** The form in which (part of) a user operation travels: quantities in minimal hex, the rest as it is. */
export function toRequest(draft: SettledDraft): Partial<UserOperationRequest> {
  const entries = Object.entries(draft).map(([name, value]) => [
    name,
    typeof value === 'bigint' || typeof value === 'number' ? numberToHex(value) : value,
  ])
  return Object.fromEntries(entries)
}
