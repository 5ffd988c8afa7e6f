import type { Hex } from 'viem'
import { sendTransactionMutationOptions } from '../../query/clientMutations.ts'
import type { SmartAccountClient, TransactionInput } from '../../wallet/client/types.ts'
import { type MutationOptions, type MutationResult, useConfigMutation } from '../query/mutations.ts'

export declare namespace useSendTransaction {
  type Parameters = MutationOptions<Hex, TransactionInput> & { client: SmartAccountClient | undefined }
  type ReturnType = MutationResult<Hex, TransactionInput> & {
    sendTransaction: MutationResult<Hex, TransactionInput>['mutate']
    sendTransactionAsync: MutationResult<Hex, TransactionInput>['mutateAsync']
    /** Hash of the transaction. */
    sendTransactionResult: Hex | undefined
    isSendingTransaction: boolean
  }
}

/**
 * Sends a transaction as a user operation, and waits until it is in a block.
 *
 * @throws `PROVIDER_MISSING`.
 *
 * @example
 * ```tsx
 * import { useSendTransaction, useSmartAccountClient } from 'latchkey/react'
 *
 * export function Tip() {
 *   const { client } = useSmartAccountClient({ type: 'LightAccount' })
 *   const { sendTransaction } = useSendTransaction({ client })
 *   const to = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
 *   return <button onClick={() => sendTransaction({ to, value: 1n })}>Tip 1 wei</button>
 * }
 * ```
 */
export function useSendTransaction({
  client,
  ...options
}: useSendTransaction.Parameters): useSendTransaction.ReturnType {
  const mutation = useConfigMutation('useSendTransaction', options, (config) =>
    sendTransactionMutationOptions(config, { client }),
  )
  return {
    ...mutation,
    sendTransaction: mutation.mutate,
    sendTransactionAsync: mutation.mutateAsync,
    sendTransactionResult: mutation.data,
    isSendingTransaction: mutation.isPending,
  }
}
