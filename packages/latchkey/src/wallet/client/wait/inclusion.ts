import type { Hex } from 'viem'

/** That a user operation is in a block, and how it went. */
export type Inclusion = {
  transactionHash: Hex
  success: boolean
  /** Revert data, or text. */
  revertData?: string | undefined
}
