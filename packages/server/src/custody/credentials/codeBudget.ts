import type { Db } from '../../platform/database/openStore.ts'
import type { Limit } from '../../platform/limits/rateLimit.ts'
import { codeDigits, unusedCodes } from '../custodyLimits.ts'
import { returnCustodyToken, takeCustodyToken } from '../custodyTokens.ts'

/** Parties whose budgets a code is charged to. */
type Owner = {
  userId: string
  /** Parent organization of the user. */
  rootOrgId: string
  /** Null if only the target key identifies the requester, who can change that key at will. */
  asker: string | null
}

export declare namespace takeCodeDigits {
  type Parameters = Owner & {
    /** Whether the project's pages accept only six-digit codes. */
    isSixDigits: boolean
  }
}

/**
 * Charges the budgets of unused codes and returns the usual length of a code. If a budget is used up, charges nothing
 * and returns the long length. Runs in the transaction of `db`, so that an unsent e-mail is not charged.
 */
export async function takeCodeDigits(db: Db, { isSixDigits, ...owner }: takeCodeDigits.Parameters): Promise<number> {
  const digits = isSixDigits ? codeDigits.six : codeDigits.usual
  const tokens = listTokens(owner, digits)
  for (const [index, token] of tokens.entries()) {
    if ((await takeCustodyToken(db, token)).ok) continue
    for (const taken of tokens.slice(0, index)) await returnCustodyToken(db, taken)
    return codeDigits.long
  }
  return digits
}

export async function returnCodeDigits(db: Db, { digits, ...owner }: Owner & { digits: number | null }): Promise<void> {
  if (digits === null || digits >= codeDigits.long) return
  for (const token of listTokens(owner, digits)) await returnCustodyToken(db, token)
}

/** Returns the tokens, starting with the requester's own, in a fixed order to avoid deadlocks. */
function listTokens({ userId, rootOrgId, asker }: Owner, digits: number): ({ key: string } & Limit)[] {
  const length = digits === codeDigits.six ? 'six' : 'usual'
  const own = [
    { key: `codes asker ${asker} ${userId}`, ...unusedCodes.ofAskerForUser },
    { key: `codes asker ${asker}`, ...unusedCodes.ofAsker },
  ]
  return [
    ...(asker === null ? [] : own),
    { key: `codes ${length} user ${userId}`, ...unusedCodes.ofUser[length] },
    { key: `codes ${length} parent ${rootOrgId}`, ...unusedCodes.ofParent[length] },
  ]
}
