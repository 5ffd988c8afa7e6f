import { BaseError } from '../core/errors/BaseError.ts'
import type { SmartAccountClient } from '../wallet/client/types.ts'
import type { LatchkeyConfig } from '../wallet/store/types.ts'
import { type ConfigMutation, clientMutation } from './configMutation.ts'

export declare namespace clientActionMutationOptions {
  /** Actions that can extend a client: functions by name. */
  type Actions = { readonly [name: string]: (...args: never[]) => unknown }
  /** Name and arguments of an action. */
  type Variables<actions extends Actions, name extends keyof actions = keyof actions> = {
    [each in name]: { functionName: each; args: Arguments<actions>[each] }
  }[name]
  type Result<actions extends Actions> = Results<actions>[keyof actions]

  type Parameters<actions extends Actions> = {
    client: SmartAccountClient | undefined
    /** Creates a client's actions, like the function passed to `client.extend`. */
    actions: (client: SmartAccountClient) => actions & Callable<actions>
  }
  type ReturnType<actions extends Actions> = ConfigMutation<Result<actions>, Variables<actions>>
}

// Mapping by name lets TypeScript pair each action's name with its arguments.
type Actions = clientActionMutationOptions.Actions
type Arguments<actions extends Actions> = { [name in keyof actions]: Parameters<actions[name]> }
type Results<actions extends Actions> = { [name in keyof actions]: Awaited<ReturnType<actions[name]>> }
type Callable<actions extends Actions> = {
  readonly [name in keyof actions]: (
    ...args: Arguments<actions>[name]
  ) => Results<actions>[name] | Promise<Results<actions>[name]>
}

/**
 * Returns the options of the mutation behind `useClientActions`. The mutation calls an action by name.
 *
 * @throws `CLIENT_MISSING` without a client, `CLIENT_ONLY` on a server, `NETWORK_UNREACHABLE` offline;
 * `CLIENT_INCOMPATIBLE` for a name that is not an action; errors of the action itself.
 *
 * @example
 * ```ts
 * import { lightAccountActions } from 'latchkey'
 * import { clientActionMutationOptions } from 'latchkey/query'
 * import { client, config } from './config.ts'
 *
 * const newOwner = '0x000000000000000000000000000000000000dEaD'
 * const { mutationFn } = clientActionMutationOptions(config, { client, actions: lightAccountActions })
 * await mutationFn({ functionName: 'transferOwnership', args: [{ newOwner }] })
 * ```
 */
export function clientActionMutationOptions<actions extends clientActionMutationOptions.Actions>(
  config: LatchkeyConfig,
  parameters: clientActionMutationOptions.Parameters<actions>,
): clientActionMutationOptions.ReturnType<actions> {
  type Variables = clientActionMutationOptions.Variables<actions>
  const act = async (client: SmartAccountClient, variables: Variables) => call(parameters.actions(client), variables)
  return clientMutation('clientAction', act, 'useClientActions')(config, parameters)
}

async function call<actions extends Actions, name extends keyof actions>(
  actions: Callable<actions>,
  { functionName, args }: clientActionMutationOptions.Variables<actions, name>,
): Promise<Results<actions>[name]> {
  const action = actions[functionName]
  if (!action) throw new BaseError(`${String(functionName)} is not an action`, { code: 'CLIENT_INCOMPATIBLE' })
  return action(...args)
}
