import { type UseMutateAsyncFunction, type UseMutateFunction, useQuery } from '@tanstack/react-query'
import { providerChunk } from '../../wallet/chunks.ts'
import type { SmartAccountClient } from '../../wallet/client/types.ts'
import type { CallsStatus, SendCallsParameters, SendCallsResult } from '../../wallet/provider/clientCalls.ts'
import { useLatchkeyContext } from '../context.ts'
import { type MutationOptions, neverQueued, useClientMutation } from '../query/mutations.ts'

export declare namespace useSendCalls {
  type Parameters = MutationOptions<SendCallsResult, SendCallsParameters> & { client: SmartAccountClient | undefined }
  type ReturnType = {
    sendCalls: UseMutateFunction<SendCallsResult, Error, SendCallsParameters>
    sendCallsAsync: UseMutateAsyncFunction<SendCallsResult, Error, SendCallsParameters>
    sendCallsResult: SendCallsResult | undefined
    isSendingCalls: boolean
    /** Of the last calls, asked for until they are in a block. */
    callsStatus: CallsStatus | undefined
    error: Error | null
  }
}

const intervalMs = 1000
/** Status codes below it are of calls that wait (EIP-5792). */
const confirmed = 200

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
  const { mutate, mutateAsync, data, isPending, error } = useClientMutation<SendCallsResult, SendCallsParameters>({
    hook: 'useSendCalls',
    key: 'sendCalls',
    client,
    options,
    act: async (client, parameters) => (await providerChunk.load()).sendCalls(client, parameters),
  })
  const followed = useQuery(
    {
      queryKey: ['latchkey', 'calls', data?.id],
      enabled: client !== undefined && data !== undefined,
      ...neverQueued,
      retry: false,
      refetchInterval: ({ state }) => (state.data && state.data.status >= confirmed ? false : intervalMs),
      queryFn: async () => {
        const { getCallsStatus } = await providerChunk.load()
        return client && data ? getCallsStatus(client, data.id) : null
      },
    },
    queryClient,
  )
  return {
    sendCalls: mutate,
    sendCallsAsync: mutateAsync,
    sendCallsResult: data,
    isSendingCalls: isPending,
    callsStatus: followed.data ?? undefined,
    error,
  }
}
