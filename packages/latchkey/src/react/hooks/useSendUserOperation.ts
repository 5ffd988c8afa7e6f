import type { MutateOptions } from '@tanstack/react-query'
import type { CodedError } from '../../core/errors/BaseError.ts'
import { sendUserOperationMutationOptions } from '../../query/clientMutations.ts'
import type {
  SendUserOperationParameters,
  SendUserOperationResult,
  SmartAccountClient,
} from '../../wallet/client/types.ts'
import type { CheckedUserOperationInput } from '../../wallet/userOperation/types.ts'
import { type MutationOptions, type MutationResult, useConfigMutation } from '../query/mutations.ts'

/** Like `mutate` of TanStack Query, but checks the arguments of each call against its ABI. */
type Mutate<result> = <const uo>(
  variables: Omit<SendUserOperationParameters, 'uo'> & { uo: CheckedUserOperationInput<uo> },
  options?: MutateOptions<SendUserOperationResult, CodedError, SendUserOperationParameters>,
) => result

export declare namespace useSendUserOperation {
  type Parameters = MutationOptions<SendUserOperationResult, SendUserOperationParameters> & {
    client: SmartAccountClient | undefined
    /**
     * Waits for the block; the result's `hash` is then the hash of the transaction.
     *
     * @default false
     */
    waitForTxn?: boolean | undefined
  }
  type ReturnType = MutationResult<SendUserOperationResult, SendUserOperationParameters> & {
    sendUserOperation: Mutate<void>
    sendUserOperationAsync: Mutate<Promise<SendUserOperationResult>>
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
 * import { type Address, erc20Abi } from 'viem'
 *
 * export function Pay({ token, to }: { token: Address; to: Address }) {
 *   const { client } = useSmartAccountClient({ type: 'LightAccount' })
 *   const { sendUserOperation, error } = useSendUserOperation({ client, waitForTxn: true })
 *   const uo = { target: token, abi: erc20Abi, functionName: 'transfer', args: [to, 5n] } as const
 *   return <button onClick={() => sendUserOperation({ uo })}>{error ? error.message : 'Pay 5'}</button>
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
