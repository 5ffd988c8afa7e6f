import { type UseMutateAsyncFunction, type UseMutateFunction, useMutation } from '@tanstack/react-query'
import type { SmartAccountClient } from '../../wallet/client/types.ts'
import { useLatchkeyContext } from '../context.ts'
import {
  type ClientActionParameters,
  type ClientActionResult,
  type ClientActions,
  clientActionMutationOptions,
} from '../query/clientAction.ts'
import type { MutationOptions } from '../query/types.ts'

export declare namespace useClientActions {
  type Parameters<actions extends ClientActions> = MutationOptions<
    ClientActionResult<actions>,
    ClientActionParameters<actions>
  > & {
    client: SmartAccountClient | undefined
    /** Makes the actions for a client, as for `client.extend`. */
    actions: (client: SmartAccountClient) => actions
  }
  type ReturnType<actions extends ClientActions> = {
    executeAction: UseMutateFunction<ClientActionResult<actions>, Error, ClientActionParameters<actions>>
    executeActionAsync: UseMutateAsyncFunction<ClientActionResult<actions>, Error, ClientActionParameters<actions>>
    data: ClientActionResult<actions> | undefined
    isExecutingAction: boolean
    error: Error | null
  }
}

/** Calls any action a client can be extended with: `executeAction({ functionName, args })`. */
export function useClientActions<actions extends ClientActions>(
  parameters: useClientActions.Parameters<actions>,
): useClientActions.ReturnType<actions> {
  const { client, actions, ...options } = parameters
  const { queryClient } = useLatchkeyContext('useClientActions')
  const { mutate, mutateAsync, data, isPending, error } = useMutation(
    clientActionMutationOptions(client, actions, options),
    queryClient,
  )
  return { executeAction: mutate, executeActionAsync: mutateAsync, data, isExecutingAction: isPending, error }
}
