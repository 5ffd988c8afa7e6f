/** Limit of what a user's key signs away in 24 hours, on one chain. */
export type SpendingLimit = {
  chainId: number
  /** Address of an ERC-20 token, or the chain's native currency, including network fees that the account pays. */
  token: 'native' | `0x${string}`
  /** Decimal, in the smallest unit. */
  perDay: string
}

/**
 * Rules about what custody signs for a user without asking. What exceeds them waits for a confirmation by email.
 *
 * A transfer, an approval and native currency sent with a call count against the limit of their token.
 */
export type SpendingRules = {
  /** At most 50; at most one a chain and token. */
  limits: readonly SpendingLimit[]
  /**
   * Whether the user confirms what the limits do not bound: other tokens and chains, calls of contracts, and typed data of
   * unknown effect.
   */
  unlisted: 'allow' | 'review'
  /** Address book, at most 200: transfers and approvals to others are reviewed. Null: anybody. */
  recipients: readonly `0x${string}`[] | null
}

/**
 * Scope of an API key, for a program that acts for a user: what the key signs without asking. The user confirms the rest
 * by email, and the key can do nothing but sign.
 */
export type KeyScope = Pick<SpendingRules, 'limits' | 'recipients'> & {
  /** Contracts that the key may call with any function, at most 50. Native currency of these calls counts. */
  contracts: readonly `0x${string}`[]
}

/** Amount of a token spent in the last 24 hours. `spent` is decimal, in the smallest unit. */
export type Spending = Pick<SpendingLimit, 'chainId' | 'token'> & { spent: string }

/** Parameters of `ACTIVITY_TYPE_SET_SPENDING_RULES`. Null removes the rules. */
export type SetSpendingRulesParameters = { rules: SpendingRules | null }

/** Response of `get_spending_rules`. */
export type GetSpendingRulesResponse = { rules: SpendingRules | null; spending: readonly Spending[] }
