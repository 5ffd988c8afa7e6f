import { skipToken, type UseMutateAsyncFunction, type UseMutateFunction, useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { sendCallsMutationOptions } from '../../query/clientMutations.ts'
import { getCallsStatusQueryOptions } from '../../query/queries.ts'
import { providerChunk } from '../../wallet/chunks.ts'
import type { SmartAccountClient } from '../../wallet/client/types.ts'
import type { CallsStatus, SendCallsParameters, SendCallsResult } from '../../wallet/provider/clientCalls.ts'
import { useLatchkeyContext } from '../context.ts'
import { type MutationOptions, type MutationResult, useConfigMutation } from '../query/mutations.ts'

export declare namespace useSendCalls {
  type Parameters = MutationOptions<SendCallsResult, SendCallsParameters> & { client: SmartAccountClient | undefined }
  type ReturnType = MutationResult<SendCallsResult, SendCallsParameters> & {
    sendCalls: UseMutateFunction<SendCallsResult, Error, SendCallsParameters>
    sendCallsAsync: UseMutateAsyncFunction<SendCallsResult, Error, SendCallsParameters>
    sendCallsResult: SendCallsResult | undefined
    isSendingCalls: boolean
    /** Of the last calls, asked for until they are in a block. */
    callsStatus: CallsStatus | undefined
  }
}

/**
 * Sends calls as one operation, as `wallet_sendCalls` of EIP-5792 does, and follows them.
 *
 * @throws `PROVIDER_MISSING`.
 *
 * @example
 * ```tsx
 * import { useSendCalls, useSmartAccountClient } from 'latchkey/react'
 *
 * export function Both({ to }: { to: readonly `0x${string}`[] }) {
 *   const { client } = useSmartAccountClient({ type: 'LightAccount' })
 *   const { sendCalls, callsStatus } = useSendCalls({ client })
 *   const send = () => sendCalls({ calls: to.map((each) => ({ to: each, value: 1n })) })
 *   return <button onClick={send}>{callsStatus?.status === 200 ? 'Sent' : 'Send both'}</button>
 * }
 * ```
 */
export function useSendCalls(parameters: useSendCalls.Parameters): useSendCalls.ReturnType {
  const { client, ...options } = parameters
  const { queryClient } = useLatchkeyContext('useSendCalls')
  const mutation = useConfigMutation('useSendCalls', options, (config) => sendCallsMutationOptions(config, { client }))
  // The first press is to wait for no code.
  useEffect(() => {
    if (client) providerChunk.prefetch()
  }, [client])
  const isSent = client !== undefined && mutation.data !== undefined
  const followed = useQuery(
    isSent
      ? getCallsStatusQueryOptions({ client, id: mutation.data.id })
      : { queryKey: ['latchkey', 'calls'], queryFn: skipToken },
    queryClient,
  )
  return {
    ...mutation,
    sendCalls: mutation.mutate,
    sendCallsAsync: mutation.mutateAsync,
    sendCallsResult: mutation.data,
    isSendingCalls: mutation.isPending,
    callsStatus: followed.data,
  }
}
