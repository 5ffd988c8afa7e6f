import type { UseMutateAsyncFunction, UseMutateFunction } from '@tanstack/react-query'
import { BaseError } from '../../core/errors/BaseError.ts'
import type { SmartAccountClient } from '../../wallet/client/types.ts'
import { type MutationOptions, useClientMutation } from '../query/mutations.ts'

export declare namespace useClientActions {
  /** Actions a client can be extended with: functions by name. */
  type Actions = { readonly [name: string]: (...args: never[]) => unknown }
  /** The name of an action, and its arguments. */
  type Variables<actions extends Actions, name extends keyof actions = keyof actions> = {
    [each in name]: { functionName: each; args: Arguments<actions>[each] }
  }[name]
  /** What any of the actions resolves with. */
  type Result<actions extends Actions> = Results<actions>[keyof actions]

  type Parameters<actions extends Actions> = MutationOptions<Result<actions>, Variables<actions>> & {
    client: SmartAccountClient | undefined
    /** Makes the actions for a client, as for `client.extend`. */
    actions: (client: SmartAccountClient) => actions & Callable<actions>
  }
  type ReturnType<actions extends Actions> = {
    executeAction: UseMutateFunction<Result<actions>, Error, Variables<actions>>
    executeActionAsync: UseMutateAsyncFunction<Result<actions>, Error, Variables<actions>>
    data: Result<actions> | undefined
    isExecutingAction: boolean
    error: Error | null
  }
}

// Maps by name: with them TypeScript sees that a name and its arguments belong together.
type Arguments<actions extends useClientActions.Actions> = { [name in keyof actions]: Parameters<actions[name]> }
type Results<actions extends useClientActions.Actions> = { [name in keyof actions]: Awaited<ReturnType<actions[name]>> }
type Callable<actions extends useClientActions.Actions> = {
  readonly [name in keyof actions]: (
    ...args: Arguments<actions>[name]
  ) => Results<actions>[name] | Promise<Results<actions>[name]>
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
  const { mutate, mutateAsync, data, isPending, error } = useClientMutation({
    hook: 'useClientActions',
    key: 'clientAction',
    client,
    options,
    act: async (client, variables) => call(actions(client), variables),
  })
  return { executeAction: mutate, executeActionAsync: mutateAsync, data, isExecutingAction: isPending, error }
}

async function call<actions extends useClientActions.Actions, name extends keyof actions>(
  actions: Callable<actions>,
  { functionName, args }: useClientActions.Variables<actions, name>,
): Promise<Results<actions>[name]> {
  const action = actions[functionName]
  if (!action) throw new BaseError(`${String(functionName)} is not an action`, { code: 'CLIENT_INCOMPATIBLE' })
  return action(...args)
}
