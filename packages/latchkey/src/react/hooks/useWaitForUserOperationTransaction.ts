import type { Hex } from 'viem'
import { waitForUserOperationTransactionMutationOptions } from '../../query/clientMutations.ts'
import type { SmartAccountClient, WaitRetries } from '../../wallet/client/types.ts'
import { type MutationOptions, type MutationResult, useConfigMutation } from '../query/mutations.ts'

type Variables = { hash: Hex; retries?: WaitRetries }

export declare namespace useWaitForUserOperationTransaction {
  type Parameters = MutationOptions<Hex, Variables> & { client: SmartAccountClient | undefined }
  type ReturnType = MutationResult<Hex, Variables> & {
    /** `hash`: hash of the user operation. */
    waitForUserOperationTransaction: MutationResult<Hex, Variables>['mutate']
    /** Hash of the transaction. */
    waitForUserOperationTransactionResult: Hex | undefined
    isWaitingForUserOperationTransaction: boolean
  }
}

/**
 * Waits until a user operation is in a block.
 *
 * @throws `PROVIDER_MISSING`.
 *
 * @example
 * ```tsx
 * import { useSmartAccountClient, useWaitForUserOperationTransaction } from 'latchkey/react'
 *
 * export function Follow({ hash }: { hash: `0x${string}` }) {
 *   const { client } = useSmartAccountClient({ type: 'LightAccount' })
 *   const wait = useWaitForUserOperationTransaction({ client })
 *   const text = wait.waitForUserOperationTransactionResult ?? 'Is it in a block?'
 *   return <button onClick={() => wait.waitForUserOperationTransaction({ hash })}>{text}</button>
 * }
 * ```
 */
export function useWaitForUserOperationTransaction(
  parameters: useWaitForUserOperationTransaction.Parameters,
): useWaitForUserOperationTransaction.ReturnType {
  const { client, ...options } = parameters
  const mutation = useConfigMutation('useWaitForUserOperationTransaction', options, (config) =>
    waitForUserOperationTransactionMutationOptions(config, { client }),
  )
  return {
    ...mutation,
    waitForUserOperationTransaction: mutation.mutate,
    waitForUserOperationTransactionResult: mutation.data,
    isWaitingForUserOperationTransaction: mutation.isPending,
  }
}
