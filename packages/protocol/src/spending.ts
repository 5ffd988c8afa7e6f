/** Limit on the amount of a token that a user's key may spend in 24 hours, on one chain. */
export type SpendingLimit = {
  chainId: number
  /** Address of an ERC-20 token, or the chain's native currency, including network fees that the account pays. */
  token: 'native' | `0x${string}`
  /** Decimal, in the smallest unit. */
  perDay: string
}

/**
 * Rules for signing without a confirmation. Any other signature waits for a confirmation by email.
 *
 * Transfers, approvals and native currency sent with calls count against the limit of their token.
 */
export type SpendingRules = {
  /** At most 50, one for each chain and token. */
  limits: readonly SpendingLimit[]
  /**
   * Whether requests outside the limits are allowed, or reviewed by the user. These are other tokens and chains, calls
   * of contracts, and typed data of unknown effect.
   */
  unlisted: 'allow' | 'review'
  /**
   * Address book of at most 200 addresses. Transfers and approvals to other addresses are reviewed. Null allows all
   * recipients.
   */
  recipients: readonly `0x${string}`[] | null
}

/**
 * Scope of an API key, for a program that acts for a user. The key can only sign. It signs within the scope without a
 * confirmation; the user confirms all other signatures by email.
 */
export type KeyScope = Pick<SpendingRules, 'limits' | 'recipients'> & {
  /** At most 50 contracts of which the key may call any function. Native currency sent with these calls counts. */
  contracts: readonly `0x${string}`[]
}

/** Amount of a token spent in the last 24 hours. `spent` is decimal, in the smallest unit. */
export type Spending = Pick<SpendingLimit, 'chainId' | 'token'> & { spent: string }

/** Parameters of `ACTIVITY_TYPE_SET_SPENDING_RULES`. Null removes the rules. */
export type SetSpendingRulesParameters = { rules: SpendingRules | null }

/** Response of `get_spending_rules`. */
export type GetSpendingRulesResponse = { rules: SpendingRules | null; spending: readonly Spending[] }
