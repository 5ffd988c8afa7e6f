import type { UseMutateAsyncFunction, UseMutateFunction } from '@tanstack/react-query'
import { clientActionMutationOptions } from '../../query/clientAction.ts'
import type { LatchkeyConfig } from '../../wallet/store/types.ts'
import { type MutationOptions, useConfigMutation } from '../query/mutations.ts'

export declare namespace useClientActions {
  type Actions = clientActionMutationOptions.Actions
  type Variables<actions extends Actions> = clientActionMutationOptions.Variables<actions>
  type Result<actions extends Actions> = clientActionMutationOptions.Result<actions>
  type Parameters<actions extends Actions> = MutationOptions<Result<actions>, Variables<actions>> &
    clientActionMutationOptions.Parameters<actions>
  type ReturnType<actions extends Actions> = {
    executeAction: UseMutateFunction<Result<actions>, Error, Variables<actions>>
    executeActionAsync: UseMutateAsyncFunction<Result<actions>, Error, Variables<actions>>
    data: Result<actions> | undefined
    isExecutingAction: boolean
    error: Error | null
  }
}

/**
 * Calls any action a client can be extended with.
 *
 * @throws `PROVIDER_MISSING`.
 *
 * @example
 * ```tsx
 * import { lightAccountActions } from 'latchkey'
 * import { useClientActions, useSmartAccountClient } from 'latchkey/react'
 *
 * export function GiveAway({ newOwner }: { newOwner: `0x${string}` }) {
 *   const { client } = useSmartAccountClient({ type: 'LightAccount' })
 *   const { executeAction } = useClientActions({ client, actions: lightAccountActions })
 *   const give = () => executeAction({ functionName: 'transferOwnership', args: [{ newOwner }] })
 *   return <button onClick={give}>Transfer ownership</button>
 * }
 * ```
 */
export function useClientActions<actions extends useClientActions.Actions>(
  parameters: useClientActions.Parameters<actions>,
): useClientActions.ReturnType<actions> {
  const { client, actions, ...options } = parameters
  const mutation = (config: LatchkeyConfig) => clientActionMutationOptions(config, { client, actions })
  const { mutate, mutateAsync, data, isPending, error } = useConfigMutation('useClientActions', options, mutation)
  return { executeAction: mutate, executeActionAsync: mutateAsync, data, isExecutingAction: isPending, error }
}
