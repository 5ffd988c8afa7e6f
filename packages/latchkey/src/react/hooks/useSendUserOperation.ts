import type { UseMutateAsyncFunction, UseMutateFunction } from '@tanstack/react-query'
import { sendUserOperationMutationOptions } from '../../query/clientMutations.ts'
import type {
  SendUserOperationParameters,
  SendUserOperationResult,
  SmartAccountClient,
} from '../../wallet/client/types.ts'
import { type MutationOptions, type MutationResult, useConfigMutation } from '../query/mutations.ts'

export declare namespace useSendUserOperation {
  type Parameters = MutationOptions<SendUserOperationResult, SendUserOperationParameters> & {
    client: SmartAccountClient | undefined
    /**
     * Wait for the block; the result's hash is then the transaction's.
     *
     * @default false
     */
    waitForTxn?: boolean | undefined
  }
  type ReturnType = MutationResult<SendUserOperationResult, SendUserOperationParameters> & {
    sendUserOperation: UseMutateFunction<SendUserOperationResult, Error, SendUserOperationParameters>
    sendUserOperationAsync: UseMutateAsyncFunction<SendUserOperationResult, Error, SendUserOperationParameters>
    sendUserOperationResult: SendUserOperationResult | undefined
    isSendingUserOperation: boolean
  }
}

/**
 * Sends user operations. `error` is 'client must be defined in useSendUserOperation' while there is no client.
 *
 * @throws `PROVIDER_MISSING`.
 *
 * @example
 * ```tsx
 * import { useSendUserOperation, useSmartAccountClient } from 'latchkey/react'
 *
 * export function Ping({ target }: { target: `0x${string}` }) {
 *   const { client } = useSmartAccountClient({ type: 'LightAccount' })
 *   const { sendUserOperation, error } = useSendUserOperation({ client, waitForTxn: true })
 *   const send = () => sendUserOperation({ uo: { target, data: '0x' } })
 *   return <button onClick={send}>{error ? error.message : 'Ping'}</button>
 * }
 * ```
 */
export function useSendUserOperation(parameters: useSendUserOperation.Parameters): useSendUserOperation.ReturnType {
  const { client, waitForTxn, ...options } = parameters
  const mutation = useConfigMutation('useSendUserOperation', options, (config) =>
    sendUserOperationMutationOptions(config, { client, waitForTxn }),
  )
  return {
    ...mutation,
    sendUserOperation: mutation.mutate,
    sendUserOperationAsync: mutation.mutateAsync,
    sendUserOperationResult: mutation.data,
    isSendingUserOperation: mutation.isPending,
  }
}
