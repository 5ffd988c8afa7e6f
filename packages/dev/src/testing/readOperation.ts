import type { Hex } from 'viem'
import { rpc } from '../chain/rpc.ts'

/** Result of an operation that a test sent. */
export type TestOperation = {
  /** Hash; undefined if the operation was refused before it was signed. */
  hash?: Hex | undefined
  transactionHash?: Hex | undefined
  /** Whether the operation is in a block and its calls succeeded. */
  isIncluded: boolean
  /** Whether a paymaster paid. */
  isSponsored: boolean
  /** Reason of a refusal or revert. */
  failure?: string | undefined
}

export declare namespace readOperation {
  type Options = {
    /** Milliseconds to wait for inclusion. @default 20_000 */
    timeoutMs?: number | undefined
  }
}

type Receipt = {
  success: boolean
  paymaster?: string
  reason?: string
  receipt: { transactionHash: Hex; status: string }
}

const pollMs = 50

/**
 * Waits until an operation is in a block and returns its result. After a timeout, returns it as not included instead of
 * throwing.
 *
 * @example
 * ```ts
 * import { readOperation, startTestDevnet } from 'latchkey-dev/testing'
 *
 * const devnet = await startTestDevnet()
 * const { isSponsored } = await readOperation(devnet, `0x${'00'.repeat(32)}`)
 * ```
 */
export async function readOperation(
  devnet: { urls: { bundler: string } },
  hash: Hex,
  { timeoutMs = 20_000 }: readOperation.Options = {},
): Promise<TestOperation> {
  const url = devnet.urls.bundler
  const deadline = Date.now() + timeoutMs
  do {
    const receipt = await rpc<Receipt | null>({ url, method: 'eth_getUserOperationReceipt', params: [hash] })
    if (receipt) return toOperation(hash, receipt)
    await new Promise((resolve) => setTimeout(resolve, pollMs))
  } while (Date.now() < deadline)
  const failure = `It was not in a block after ${timeoutMs / 1000} s.`
  return { hash, isIncluded: false, isSponsored: false, failure }
}

function toOperation(hash: Hex, { success, paymaster = '0x', reason, receipt }: Receipt): TestOperation {
  return {
    hash,
    transactionHash: receipt.transactionHash,
    isIncluded: success,
    isSponsored: BigInt(paymaster === '0x' ? 0 : paymaster) !== 0n,
    ...(!success && { failure: reason ?? 'Its calls reverted without a reason.' }),
  }
}
