import type { Db } from '../../platform/database/openStore.ts'
import type { Limit } from '../../platform/limits/rateLimit.ts'
import { codeDigits, unusedCodes } from '../custodyLimits.ts'
import { returnCustodyToken, takeCustodyToken } from '../custodyTokens.ts'

/** Whose budgets a code is mailed from. */
type Owner = {
  userId: string
  /** Parent organization of the user. */
  rootOrgId: string
  /** Null when who asks is known by the target key only, which costs nothing to change. */
  asker: string | null
}

export declare namespace takeCodeDigits {
  type Parameters = Owner & {
    /** The pages of the project take codes of six digits only. */
    isSixDigits: boolean
  }
}

/**
 * How long a new code must be: as usual while the budgets of unused codes have room, which it then takes, else long. In
 * the transaction of `db`: a mail that is not sent takes nothing.
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

/** Gives back what a code took that its user has used. */
export async function returnCodeDigits(db: Db, { digits, ...owner }: Owner & { digits: number | null }): Promise<void> {
  if (digits === null || digits >= codeDigits.long) return
  for (const token of listTokens(owner, digits)) await returnCustodyToken(db, token)
}

/** The asker's own first, in one order always: transactions that take some of them wait for each other. */
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
