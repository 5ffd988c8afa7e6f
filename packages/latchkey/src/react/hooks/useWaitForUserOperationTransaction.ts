import { type UseMutateFunction, useMutation } from '@tanstack/react-query'
import type { Hex } from 'viem'
import type { SmartAccountClient, WaitRetries } from '../../wallet/client/types.ts'
import { useLatchkeyContext } from '../context.ts'
import type { MutationOptions } from '../query/types.ts'
import { waitForUserOperationTransactionMutationOptions } from '../query/waitForUserOperationTransaction.ts'

type Variables = { hash: Hex; retries?: WaitRetries }

export declare namespace useWaitForUserOperationTransaction {
  type Parameters = MutationOptions<Hex, Variables> & { client: SmartAccountClient | undefined }
  type ReturnType = {
    /** `hash` is the user operation's. */
    waitForUserOperationTransaction: UseMutateFunction<Hex, Error, Variables>
    /** Hash of the transaction. */
    waitForUserOperationTransactionResult: Hex | undefined
    isWaitingForUserOperationTransaction: boolean
    error: Error | null
  }
}

/** Waits until a user operation is in a block. */
export function useWaitForUserOperationTransaction(
  parameters: useWaitForUserOperationTransaction.Parameters,
): useWaitForUserOperationTransaction.ReturnType {
  const { client, ...options } = parameters
  const { queryClient } = useLatchkeyContext('useWaitForUserOperationTransaction')
  const { mutate, data, isPending, error } = useMutation(
    waitForUserOperationTransactionMutationOptions(client, options),
    queryClient,
  )
  return {
    waitForUserOperationTransaction: mutate,
    waitForUserOperationTransactionResult: data,
    isWaitingForUserOperationTransaction: isPending,
    error,
  }
}
