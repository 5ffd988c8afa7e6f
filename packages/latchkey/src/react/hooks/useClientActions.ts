import { clientActionMutationOptions } from '../../query/clientAction.ts'
import type { LatchkeyConfig } from '../../wallet/store/types.ts'
import { type MutationOptions, type MutationResult, useConfigMutation } from '../query/mutations.ts'

export declare namespace useClientActions {
  type Actions = clientActionMutationOptions.Actions
  type Variables<actions extends Actions> = clientActionMutationOptions.Variables<actions>
  type Result<actions extends Actions> = clientActionMutationOptions.Result<actions>
  type Parameters<actions extends Actions> = MutationOptions<Result<actions>, Variables<actions>> &
    clientActionMutationOptions.Parameters<actions>
  type ReturnType<actions extends Actions> = MutationResult<Result<actions>, Variables<actions>> & {
    executeAction: MutationResult<Result<actions>, Variables<actions>>['mutate']
    executeActionAsync: MutationResult<Result<actions>, Variables<actions>>['mutateAsync']
    isExecutingAction: boolean
  }
}

/**
 * Calls any action that can extend a client.
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
  const toOptions = (config: LatchkeyConfig) => clientActionMutationOptions(config, { client, actions })
  const mutation = useConfigMutation('useClientActions', options, toOptions)
  return {
    ...mutation,
    executeAction: mutation.mutate,
    executeActionAsync: mutation.mutateAsync,
    isExecutingAction: mutation.isPending,
  }
}
