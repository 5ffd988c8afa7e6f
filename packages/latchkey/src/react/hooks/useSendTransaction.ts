import { type UseMutateAsyncFunction, type UseMutateFunction, useMutation } from '@tanstack/react-query'
import type { Hex } from 'viem'
import type { SmartAccountClient, TransactionInput } from '../../wallet/client/types.ts'
import { useLatchkeyContext } from '../context.ts'
import { sendTransactionMutationOptions } from '../query/sendTransaction.ts'
import type { MutationOptions } from '../query/types.ts'

export declare namespace useSendTransaction {
  type Parameters = MutationOptions<Hex, TransactionInput> & { client: SmartAccountClient | undefined }
  type ReturnType = {
    sendTransaction: UseMutateFunction<Hex, Error, TransactionInput>
    sendTransactionAsync: UseMutateAsyncFunction<Hex, Error, TransactionInput>
    /** Hash of the transaction. */
    sendTransactionResult: Hex | undefined
    isSendingTransaction: boolean
    error: Error | null
  }
}

/** Sends a transaction as a user operation, and waits until it is in a block. */
export function useSendTransaction({
  client,
  ...options
}: useSendTransaction.Parameters): useSendTransaction.ReturnType {
  const { queryClient } = useLatchkeyContext('useSendTransaction')
  const { mutate, mutateAsync, data, isPending, error } = useMutation(
    sendTransactionMutationOptions(client, options),
    queryClient,
  )
  return {
    sendTransaction: mutate,
    sendTransactionAsync: mutateAsync,
    sendTransactionResult: data,
    isSendingTransaction: isPending,
    error,
  }
}
