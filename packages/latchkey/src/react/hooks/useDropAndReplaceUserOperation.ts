import { type UseMutateFunction, useMutation } from '@tanstack/react-query'
import type { SendUserOperationResult, SmartAccountClient } from '../../wallet/client/types.ts'
import { useLatchkeyContext } from '../context.ts'
import {
  type DropAndReplaceParameters,
  dropAndReplaceUserOperationMutationOptions,
} from '../query/dropAndReplaceUserOperation.ts'
import type { MutationOptions } from '../query/types.ts'

export declare namespace useDropAndReplaceUserOperation {
  type Parameters = MutationOptions<SendUserOperationResult, DropAndReplaceParameters> & {
    client: SmartAccountClient | undefined
  }
  type ReturnType = {
    dropAndReplaceUserOperation: UseMutateFunction<SendUserOperationResult, Error, DropAndReplaceParameters>
    dropAndReplaceUserOperationResult: SendUserOperationResult | undefined
    isDroppingAndReplacingUserOperation: boolean
    error: Error | null
  }
}

/** Sends an operation that waits again at a higher price, so that it takes the place of the first. */
export function useDropAndReplaceUserOperation(
  parameters: useDropAndReplaceUserOperation.Parameters,
): useDropAndReplaceUserOperation.ReturnType {
  const { client, ...options } = parameters
  const { queryClient } = useLatchkeyContext('useDropAndReplaceUserOperation')
  const { mutate, data, isPending, error } = useMutation(
    dropAndReplaceUserOperationMutationOptions(client, options),
    queryClient,
  )
  return {
    dropAndReplaceUserOperation: mutate,
    dropAndReplaceUserOperationResult: data,
    isDroppingAndReplacingUserOperation: isPending,
    error,
  }
}
