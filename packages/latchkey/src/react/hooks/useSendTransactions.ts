import type { Hex } from 'viem'
import { sendTransactionsMutationOptions } from '../../query/clientMutations.ts'
import type { SmartAccountClient, TransactionsParameters } from '../../wallet/client/types.ts'
import { type MutationOptions, type MutationResult, useConfigMutation } from '../query/mutations.ts'

export declare namespace useSendTransactions {
  type Parameters = MutationOptions<Hex, TransactionsParameters> & { client: SmartAccountClient | undefined }
  type ReturnType = MutationResult<Hex, TransactionsParameters> & {
    sendTransactions: MutationResult<Hex, TransactionsParameters>['mutate']
    sendTransactionsAsync: MutationResult<Hex, TransactionsParameters>['mutateAsync']
    /** Hash of the transaction. */
    sendTransactionsResult: Hex | undefined
    isSendingTransactions: boolean
  }
}

/**
 * Sends transactions as one atomic user operation, and waits until it is in a block.
 *
 * @throws `PROVIDER_MISSING`.
 *
 * @example
 * ```tsx
 * import { useSendTransactions, useSmartAccountClient } from 'latchkey/react'
 *
 * export function TipBoth({ to }: { to: readonly `0x${string}`[] }) {
 *   const { client } = useSmartAccountClient({ type: 'LightAccount' })
 *   const { sendTransactions } = useSendTransactions({ client })
 *   const requests = to.map((address) => ({ to: address, value: 1n }))
 *   return <button onClick={() => sendTransactions({ requests })}>Tip 1 wei each</button>
 * }
 * ```
 */
export function useSendTransactions({
  client,
  ...options
}: useSendTransactions.Parameters): useSendTransactions.ReturnType {
  const mutation = useConfigMutation('useSendTransactions', options, (config) =>
    sendTransactionsMutationOptions(config, { client }),
  )
  return {
    ...mutation,
    sendTransactions: mutation.mutate,
    sendTransactionsAsync: mutation.mutateAsync,
    sendTransactionsResult: mutation.data,
    isSendingTransactions: mutation.isPending,
  }
}
