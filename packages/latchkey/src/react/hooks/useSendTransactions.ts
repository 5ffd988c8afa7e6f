import { type UseMutateAsyncFunction, type UseMutateFunction, useMutation } from '@tanstack/react-query'
import type { Hex } from 'viem'
import type { SmartAccountClient, TransactionsParameters } from '../../wallet/client/types.ts'
import { useLatchkeyContext } from '../context.ts'
import { sendTransactionsMutationOptions } from '../query/sendTransactions.ts'
import type { MutationOptions } from '../query/types.ts'

export declare namespace useSendTransactions {
  type Parameters = MutationOptions<Hex, TransactionsParameters> & { client: SmartAccountClient | undefined }
  type ReturnType = {
    sendTransactions: UseMutateFunction<Hex, Error, TransactionsParameters>
    sendTransactionsAsync: UseMutateAsyncFunction<Hex, Error, TransactionsParameters>
    /** Hash of the transaction. */
    sendTransactionsResult: Hex | undefined
    isSendingTransactions: boolean
    error: Error | null
  }
}

/** Sends transactions as one user operation: all of them happen or none, and waits until it is in a block. */
export function useSendTransactions({
  client,
  ...options
}: useSendTransactions.Parameters): useSendTransactions.ReturnType {
  const { queryClient } = useLatchkeyContext('useSendTransactions')
  const { mutate, mutateAsync, data, isPending, error } = useMutation(
    sendTransactionsMutationOptions(client, options),
    queryClient,
  )
  return {
    sendTransactions: mutate,
    sendTransactionsAsync: mutateAsync,
    sendTransactionsResult: data,
    isSendingTransactions: isPending,
    error,
  }
}
