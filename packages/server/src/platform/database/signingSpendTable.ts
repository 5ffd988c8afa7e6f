/** Amount of a token that a signature of custody may spend. */
export type SigningSpendTable = {
  org_id: string
  /** Credential that requested the signature. */
  credential_id: string
  chain_id: string | number
  /** Address in lower case, or `native`. */
  token: string
  /** Decimal, in the smallest unit. */
  amount: string
  spent_at: Date
}
