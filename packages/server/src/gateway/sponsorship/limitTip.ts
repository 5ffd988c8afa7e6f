import { max } from '../../platform/bigints.ts'
import { multiply } from '../paymasters/gasValues.ts'

/** Replacements of a nonce that may each raise its tip, and the factor of each. */
const maxRaises = 3
const raiseFactor = 1.1

/** Highest tip signed for a nonce in the last half hour. */
export type PriorTip = {
  wei: bigint
  /** Replacements in a row whose tip passed only because it raised the previous one. */
  raises: number
  /** Time at which the tip of the first of these was within the market's limit. */
  pricedAt: Date
}

export declare namespace limitTip {
  type Parameters = {
    /** Market's tip in wei. */
    market: bigint
    /** Factor of the market's tip that the policy allows. */
    factor: number
    /** Tip in wei that passes even if the market's is lower. */
    floor: bigint
    prior: PriorTip | undefined
  }
  type ReturnType = {
    /** Highest tip in wei. */
    highest: bigint
    /** Returns how the ledger stores an allowed tip. */
    toSigned(tip: bigint): { wei: bigint; raises: number; pricedAt: Date | undefined }
  }
}

/**
 * Returns the highest priority fee that the paymaster pays for one nonce. Whoever bundles an operation keeps its tip,
 * and the caller may do so: the tip is limited by the market, and each of three replacements may add 10 percent to the
 * tip that the ledger has signed before, even if the market has fallen.
 */
export function limitTip({ market, factor, floor, prior }: limitTip.Parameters): limitTip.ReturnType {
  const allowed = max(multiply(market, factor), floor)
  const raised = prior && (prior.raises < maxRaises ? multiply(prior.wei, raiseFactor) : prior.wei)
  return {
    highest: max(allowed, raised ?? 0n),
    toSigned(tip) {
      if (!prior || tip <= allowed) return { wei: tip, raises: 0, pricedAt: undefined }
      return { wei: tip, raises: prior.raises + Number(tip > prior.wei), pricedAt: prior.pricedAt }
    },
  }
}
