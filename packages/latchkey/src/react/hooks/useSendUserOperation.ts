import { type UseMutateAsyncFunction, type UseMutateFunction, useMutation } from '@tanstack/react-query'
import type {
  SendUserOperationParameters,
  SendUserOperationResult,
  SmartAccountClient,
} from '../../wallet/client/types.ts'
import { useLatchkeyContext } from '../context.ts'
import { sendUserOperationMutationOptions } from '../query/sendUserOperation.ts'
import type { MutationOptions } from '../query/types.ts'

export declare namespace useSendUserOperation {
  type Parameters = MutationOptions<SendUserOperationResult, SendUserOperationParameters> & {
    client: SmartAccountClient | undefined
    /** Wait for the block; the result's hash is then the transaction's. Default false. */
    waitForTxn?: boolean | undefined
  }
  type ReturnType = {
    sendUserOperation: UseMutateFunction<SendUserOperationResult, Error, SendUserOperationParameters>
    sendUserOperationAsync: UseMutateAsyncFunction<SendUserOperationResult, Error, SendUserOperationParameters>
    sendUserOperationResult: SendUserOperationResult | undefined
    isSendingUserOperation: boolean
    error: Error | null
  }
}

/** Sends user operations. Without a client: 'client must be defined in useSendUserOperation'. */
export function useSendUserOperation(parameters: useSendUserOperation.Parameters): useSendUserOperation.ReturnType {
  const { client, waitForTxn = false, ...options } = parameters
  const { queryClient } = useLatchkeyContext('useSendUserOperation')
  const { mutate, mutateAsync, data, isPending, error } = useMutation(
    sendUserOperationMutationOptions(client, waitForTxn, options),
    queryClient,
  )
  return {
    sendUserOperation: mutate,
    sendUserOperationAsync: mutateAsync,
    sendUserOperationResult: data,
    isSendingUserOperation: isPending,
    error,
  }
}
