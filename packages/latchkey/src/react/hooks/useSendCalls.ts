import { type MutateOptions, skipToken, useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { CodedError } from '../../core/errors/BaseError.ts'
import { sendCallsMutationOptions } from '../../query/clientMutations.ts'
import { getCallsStatusQueryOptions } from '../../query/queries.ts'
import { providerChunk } from '../../wallet/chunks.ts'
import type { SmartAccountClient } from '../../wallet/client/types.ts'
import type { CallsStatus, SendCallsParameters, SendCallsResult, SentCall } from '../../wallet/provider/clientCalls.ts'
import type { CheckedCalls } from '../../wallet/userOperation/types.ts'
import { useLatchkeyContext } from '../context.ts'
import { type MutationOptions, type MutationResult, useConfigMutation } from '../query/mutations.ts'

/** Like `mutate` of TanStack Query, but checks the arguments of each call against its ABI. */
type Mutate<result> = <const calls>(
  variables: Omit<SendCallsParameters, 'calls'> & { calls: CheckedCalls<calls, SentCall> },
  options?: MutateOptions<SendCallsResult, CodedError, SendCallsParameters>,
) => result

export declare namespace useSendCalls {
  type Parameters = MutationOptions<SendCallsResult, SendCallsParameters> & { client: SmartAccountClient | undefined }
  type ReturnType = MutationResult<SendCallsResult, SendCallsParameters> & {
    sendCalls: Mutate<void>
    sendCallsAsync: Mutate<Promise<SendCallsResult>>
    sendCallsResult: SendCallsResult | undefined
    isSendingCalls: boolean
    /** Status of the last batch of calls, polled until the calls are in a block. */
    callsStatus: CallsStatus | undefined
  }
}

/**
 * Sends calls as one operation, like `wallet_sendCalls` of EIP-5792, and tracks them.
 *
 * @throws `PROVIDER_MISSING`.
 *
 * @example
 * ```tsx
 * import { useSendCalls, useSmartAccountClient } from 'latchkey/react'
 * import { type Address, erc20Abi } from 'viem'
 *
 * export function Deposit({ token, vault }: { token: Address; vault: Address }) {
 *   const { client } = useSmartAccountClient({ type: 'LightAccount' })
 *   const { sendCalls, callsStatus } = useSendCalls({ client })
 *   const approval = { to: token, abi: erc20Abi, functionName: 'approve', args: [vault, 5n] } as const
 *   const send = () => sendCalls({ calls: [approval, { to: vault, data: '0xd0e30db0' }] })
 *   return <button onClick={send}>{callsStatus?.status === 200 ? 'Deposited' : 'Deposit'}</button>
 * }
 * ```
 */
export function useSendCalls(parameters: useSendCalls.Parameters): useSendCalls.ReturnType {
  const { client, ...options } = parameters
  const { queryClient } = useLatchkeyContext('useSendCalls')
  const mutation = useConfigMutation('useSendCalls', options, (config) => sendCallsMutationOptions(config, { client }))
  // Preloads the code, so that the first click does not wait for it.
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
