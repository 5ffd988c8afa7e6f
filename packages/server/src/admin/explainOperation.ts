import { refusalCauses, refusalPhrases } from 'latchkey-protocol'
import type { AdminShownOperation } from 'latchkey-protocol/admin'
import { isHex } from 'viem'
import { describeRevert } from '../gateway/simulation/explainFailure.ts'
import type { ListedOperation } from './reads/listOperations.ts'

type Explanation = NonNullable<AdminShownOperation['explanation']>

/**
 * Returns a sentence that explains why an operation failed and what to do. Returns null without a failure or a known
 * reason.
 */
export function explainOperation(
  { state, success, failure, replaced_by }: Pick<ListedOperation, 'state' | 'success' | 'failure' | 'replaced_by'>,
  revertData: string | null,
): Explanation | null {
  if (state === 'included')
    return success === false ? { ...reverted, reason: isHex(revertData) ? describeRevert(revertData) : null } : null
  if (state === 'replaced') return { ...replaced, reason: replaced_by }
  if (state === 'dropped') return { ...dropped, reason: null }
  if (failure === null) return null
  const name = /\bAA\d\d\b/.exec(failure)?.[0] ?? (/PostOpReverted/.test(failure) ? 'AA50' : undefined)
  const cause = name === undefined ? undefined : refusalCauses[name]
  const reason = readReason(failure)
  if (cause) return { code: name ?? cause.code, what: cause.what, hint: cause.hint, reason }
  const phrase = refusalPhrases.find(({ pattern }) => pattern.test(failure))
  if (phrase) return { code: phrase.code, what: phrase.what, hint: phrase.hint, reason }
  return /revert/i.test(failure) || reason !== null ? { ...refusedByContract, reason } : null
}

const reverted = {
  code: 'USER_OPERATION_REVERTED',
  what: 'Included in a block, but one of its calls reverted: no call took effect, and the gas was paid.',
  hint: 'Check the arguments, and the balance and permissions of the account. If no reason is shown, simulate the same calls.',
} as const satisfies Omit<Explanation, 'reason'>

const replaced = {
  code: 'USER_OPERATION_REPLACED',
  what: 'Another operation of this account with the same nonce replaced it.',
  hint: 'Check the replacement. If this one is still needed, send its calls again.',
} as const satisfies Omit<Explanation, 'reason'>

const dropped = {
  code: 'USER_OPERATION_DROPPED',
  what: 'No block included it while it was valid, so it can no longer be included.',
  hint: 'Prepare and send its calls again. If this happens often, check the fees and the bundler.',
} as const satisfies Omit<Explanation, 'reason'>

const refusedByContract = {
  code: 'CONTRACT_REVERTED',
  what: 'A contract rejected a call of this operation, so the bundler did not accept it.',
  hint: 'Check the arguments of its calls, and the balance and permissions of the account.',
} as const satisfies Omit<Explanation, 'reason'>

/** Decodes the revert data in a bundler's error message. Returns null if the message contains none. */
function readReason(failure: string): string | null {
  const data = /\b0x(?:[0-9a-f]{2}){4,}\b/i.exec(failure)?.[0]
  // Skips addresses, which are not revert data.
  if (!isHex(data) || data.length === 42) return null
  return describeRevert(data)
}
